// Package discovery asks clusters what they serve.
package discovery

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

const (
	// maxAge is when what a cluster serves is asked for again although nothing was missed.
	maxAge = 10 * time.Minute
	// minAge is the least time between two questions that a kind which is not there gives rise to.
	minAge = 5 * time.Second
)

// Kinds is what one cluster serves, asked for when it is first needed and kept.
type Kinds struct {
	server discovery.DiscoveryInterface
	fetch  func(before snapshot) (snapshot, error)

	mu        sync.Mutex
	snapshot  snapshot
	fetchedAt time.Time
	changed   chan struct{} // closed and replaced when the cluster was asked again
}

// New is for the cluster of server, which shares what it serves with the others of c.
func New(server discovery.DiscoveryInterface, c *Cache) *Kinds {
	return newKinds(server, fetcher{server, c}.fetch)
}

func newKinds(server discovery.DiscoveryInterface, look func(before snapshot) (snapshot, error)) *Kinds {
	return &Kinds{server: server, fetch: look, changed: make(chan struct{})}
}

// Discover asks the cluster anew what it serves, in two requests where it can tell that in so many. Whoever needs a Mapping
// meanwhile is answered from what was known, and from the new answer afterwards.
func (k *Kinds) Discover() (APIs, error) {
	k.mu.Lock()
	before := k.snapshot
	k.mu.Unlock()
	now, err := k.fetch(before)
	if err != nil {
		return APIs{}, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.replace(now)
	return now.apis, nil
}

// Mapping says under which resource a kind is served and whether it is namespaced. A kind that the cluster does not
// serve is meta.NoKindMatchError, after looking again if the last look was more than a few seconds ago. The answer is
// shared, and not to be changed.
func (k *Kinds) Mapping(gvk schema.GroupVersionKind) (*meta.RESTMapping, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.snapshot.catalog == nil || time.Since(k.fetchedAt) > maxAge {
		if err := k.refresh(); err != nil {
			return nil, err
		}
	}
	mapping, err := k.snapshot.mapping(gvk)
	if !meta.IsNoMatchError(err) || time.Since(k.fetchedAt) < minAge {
		return mapping, err
	}
	if err := k.refresh(); err != nil {
		return nil, err
	}
	return k.snapshot.mapping(gvk)
}

// Refresh asks the cluster again, because it is known to serve something new.
func (k *Kinds) Refresh() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.refresh()
}

// Changed is closed when the cluster was asked again.
func (k *Kinds) Changed() <-chan struct{} {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.changed
}

// refresh keeps what was known if the cluster does not answer. The caller holds k.mu, so that many who miss a kind ask once.
func (k *Kinds) refresh() error {
	now, err := k.fetch(k.snapshot)
	if err != nil {
		return err
	}
	k.replace(now)
	return nil
}

// replace replaces what was known. The caller holds k.mu.
func (k *Kinds) replace(now snapshot) {
	k.snapshot, k.fetchedAt = now, time.Now()
	close(k.changed)
	k.changed = make(chan struct{})
}

// NamespacedResources are all resources that can be listed in a namespace, each in the version the cluster prefers. An API whose
// resources cannot be asked for now is an error: what is not known is not empty.
func (k *Kinds) NamespacedResources() ([]schema.GroupVersionResource, error) {
	lists, err := discovery.ServerPreferredNamespacedResources(k.server)
	if err != nil {
		return nil, fmt.Errorf("asking what the cluster serves: %w", err)
	}
	var all []schema.GroupVersionResource
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, fmt.Errorf("asking what the cluster serves: %w", err)
		}
		for _, r := range list.APIResources {
			if listable(r) {
				all = append(all, gv.WithResource(r.Name))
			}
		}
	}
	return all, nil
}

func listable(r metav1.APIResource) bool {
	return slices.Contains(r.Verbs, "list")
}
