// Package discovery maps kinds to the resources that a cluster serves, and shares equal results between clusters.
//
// client-go's cached discovery is not used: it knows no ETags in memory and keeps one copy for each cluster.
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
	// maxAge is the age at which a discovery result is requested again although no kind was missed.
	maxAge = 10 * time.Minute
	// minAge is the shortest time between two requests that missing kinds cause.
	minAge = 5 * time.Second
)

// Kinds is the cached discovery result of one cluster, requested at the first use.
type Kinds struct {
	server discovery.DiscoveryInterface
	fetch  func(before snapshot) (snapshot, error)

	mu        sync.Mutex
	snapshot  snapshot
	fetchedAt time.Time
	changed   chan struct{} // closed and replaced with every result
}

// New returns the Kinds of the cluster behind server. Kinds with the same cache share equal results.
func New(server discovery.DiscoveryInterface, c *Cache) *Kinds {
	return newKinds(server, fetcher{server, c}.fetch)
}

func newKinds(server discovery.DiscoveryInterface, look func(before snapshot) (snapshot, error)) *Kinds {
	return &Kinds{server: server, fetch: look, changed: make(chan struct{})}
}

// Discover requests the APIs of the cluster now. Meanwhile Mapping answers from the last result.
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
	k.replaceLocked(now)
	return now.apis, nil
}

// Mapping returns the resource and scope of a kind. For a kind that the cluster does not serve it returns
// meta.NoKindMatchError, after a new request if the last one is more than a few seconds old. The result is shared;
// callers must not change it.
func (k *Kinds) Mapping(gvk schema.GroupVersionKind) (*meta.RESTMapping, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.snapshot.catalog == nil || time.Since(k.fetchedAt) > maxAge {
		if err := k.refreshLocked(); err != nil {
			return nil, err
		}
	}
	mapping, err := k.snapshot.mapping(gvk)
	if !meta.IsNoMatchError(err) || time.Since(k.fetchedAt) < minAge {
		return mapping, err
	}
	if err := k.refreshLocked(); err != nil {
		return nil, err
	}
	return k.snapshot.mapping(gvk)
}

// Refresh requests the APIs again, because the cluster is known to serve something new.
func (k *Kinds) Refresh() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.refreshLocked()
}

// Changed returns a channel that is closed after the next discovery.
func (k *Kinds) Changed() <-chan struct{} {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.changed
}

// refreshLocked keeps the last result if the cluster does not answer. It runs under the lock, so that concurrent
// misses cause one request.
func (k *Kinds) refreshLocked() error {
	now, err := k.fetch(k.snapshot)
	if err != nil {
		return err
	}
	k.replaceLocked(now)
	return nil
}

func (k *Kinds) replaceLocked(now snapshot) {
	k.snapshot, k.fetchedAt = now, time.Now()
	close(k.changed)
	k.changed = make(chan struct{})
}

// NamespacedResources returns all namespaced resources that can be listed, each in the preferred version of the
// cluster. A group whose API server does not answer is an error: its resources are unknown, not absent.
func (k *Kinds) NamespacedResources() ([]schema.GroupVersionResource, error) {
	lists, err := discovery.ServerPreferredNamespacedResources(k.server)
	if err != nil {
		return nil, fmt.Errorf("discovering APIs: %w", err)
	}
	var all []schema.GroupVersionResource
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, fmt.Errorf("discovering APIs: %w", err)
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
