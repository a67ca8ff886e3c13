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
	// kindsExpire is when what a cluster serves is asked for again although nothing was missed.
	kindsExpire = 10 * time.Minute
	// kindsPatience is the least time between two questions that a kind which is not there gives rise to.
	kindsPatience = 5 * time.Second
)

// Kinds is what one cluster serves, asked for when it is first needed and kept.
type Kinds struct {
	server discovery.DiscoveryInterface
	look   func(before told) (told, error)

	mu    sync.Mutex
	told  told
	asked time.Time
	news  chan struct{} // closed and replaced when the cluster was asked again
}

// New is for the cluster of server, which shares what it serves with the others of c.
func New(server discovery.DiscoveryInterface, c *Catalogs) *Kinds {
	return newKinds(server, directory{server, c}.look)
}

func newKinds(server discovery.DiscoveryInterface, look func(before told) (told, error)) *Kinds {
	return &Kinds{server: server, look: look, news: make(chan struct{})}
}

// Look asks the cluster anew what it serves, in two requests where it can tell that in so many. Whoever needs a Mapping
// meanwhile is answered from what was known, and from the new answer afterwards.
func (k *Kinds) Look() (Served, error) {
	k.mu.Lock()
	before := k.told
	k.mu.Unlock()
	now, err := k.look(before)
	if err != nil {
		return Served{}, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.learn(now)
	return now.served, nil
}

// Mapping says under which resource a kind is served and whether it is namespaced. A kind that the cluster does not
// serve is meta.NoKindMatchError, after looking again if the last look was more than a few seconds ago. The answer is
// shared, and not to be changed.
func (k *Kinds) Mapping(gvk schema.GroupVersionKind) (*meta.RESTMapping, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.told.catalog == nil || time.Since(k.asked) > kindsExpire {
		if err := k.ask(); err != nil {
			return nil, err
		}
	}
	mapping, err := k.told.mapping(gvk)
	if !meta.IsNoMatchError(err) || time.Since(k.asked) < kindsPatience {
		return mapping, err
	}
	if err := k.ask(); err != nil {
		return nil, err
	}
	return k.told.mapping(gvk)
}

// Refresh asks the cluster again, because it is known to serve something new.
func (k *Kinds) Refresh() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.ask()
}

// News is closed when the cluster was asked again.
func (k *Kinds) News() <-chan struct{} {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.news
}

// ask keeps what was known if the cluster does not answer. The caller holds k.mu, so that many who miss a kind ask once.
func (k *Kinds) ask() error {
	now, err := k.look(k.told)
	if err != nil {
		return err
	}
	k.learn(now)
	return nil
}

// learn replaces what was known. The caller holds k.mu.
func (k *Kinds) learn(now told) {
	k.told, k.asked = now, time.Now()
	close(k.news)
	k.news = make(chan struct{})
}

// Namespaced are all resources that can be listed in a namespace, each in the version the cluster prefers. An API whose
// resources cannot be asked for now is an error: what is not known is not empty.
func (k *Kinds) Namespaced() ([]schema.GroupVersionResource, error) {
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
