// Package sharing keeps equal parts of custom resources in memory once. The API server caches each object of a kind with its last versions,
// as trees of maps that take many times the memory of their JSON. The versions of one object differ in a few fields, and so do the Clusters
// of a fleet: most of their status, and the names of their fields in metadata.managedFields, are equal.
package sharing

import (
	"context"
	"hash/maphash"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/cacher"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	"k8s.io/client-go/tools/cache"
)

// Getter returns a getter whose storages share the equal parts of the objects in their watch caches. The storages of next have such caches.
// Each version of a kind has one, and that of an unwatched version is a second copy of all objects, which nobody reads: it has none.
func Getter(next generic.RESTOptionsGetter, unwatched schema.GroupVersion) generic.RESTOptionsGetter {
	return getter{next, unwatched, &parts{seed: maphash.MakeSeed(), most: maxParts}}
}

type getter struct {
	next      generic.RESTOptionsGetter
	unwatched schema.GroupVersion
	of        *parts
}

// GetRESTOptions implements generic.RESTOptionsGetter.
func (g getter) GetRESTOptions(resource schema.GroupResource, example runtime.Object) (generic.RESTOptions, error) {
	o, err := g.next.GetRESTOptions(resource, example)
	o.Decorator = g.decorate
	return o, err
}

// decorate implements generic.StorageDecorator. Only a new object has the version of the storage.
func (g getter) decorate(config *storagebackend.ConfigForResource, prefix string, key func(runtime.Object) (string, error), newObject, newList func() runtime.Object,
	attributes storage.AttrFunc, triggers storage.IndexerFuncs, indexers *cache.Indexers) (storage.Interface, factory.DestroyFunc, error) {
	if newObject().GetObjectKind().GroupVersionKind().GroupVersion() == g.unwatched {
		return generic.UndecoratedStorage(config, prefix, key, newObject, newList, attributes, triggers, indexers)
	}
	return g.of.cached(config, prefix, key, newObject, newList, attributes, triggers, indexers)
}

// cached implements generic.StorageDecorator as registry.StorageWithCacher does. Only the cache reads from the storage that shares: a
// request that changes an object reads one of its own, which it may change in place.
func (p *parts) cached(config *storagebackend.ConfigForResource, prefix string, key func(runtime.Object) (string, error), newObject, newList func() runtime.Object,
	attributes storage.AttrFunc, triggers storage.IndexerFuncs, indexers *cache.Indexers) (storage.Interface, factory.DestroyFunc, error) {
	stored, destroy, err := generic.NewRawStorage(config, newObject, newList, prefix)
	if err != nil {
		return stored, destroy, err
	}
	c, err := cacher.NewCacherFromConfig(cacher.Config{
		Storage: shared{stored, p}, Versioner: storage.APIObjectVersioner{}, GroupResource: config.GroupResource, EventsHistoryWindow: config.EventsHistoryWindow,
		ResourcePrefix: prefix, KeyFunc: key, NewFunc: newObject, NewListFunc: newList, GetAttrsFunc: attributes, IndexerFuncs: triggers, Indexers: indexers,
		Codec: config.Codec,
	})
	if err != nil {
		destroy()
		return nil, func() {}, err
	}
	delegator := cacher.NewCacheDelegator(c, stored)
	return delegator, sync.OnceFunc(func() {
		delegator.Stop()
		c.Stop()
		destroy()
	}), nil
}

// shared is a storage whose lists and watches return objects with shared parts. Nobody may change these.
type shared struct {
	storage.Interface
	of *parts
}

// GetList implements storage.Interface.
func (s shared) GetList(ctx context.Context, key string, o storage.ListOptions, list runtime.Object) error {
	if err := s.Interface.GetList(ctx, key, o, list); err != nil {
		return err
	}
	if l, is := list.(*unstructured.UnstructuredList); is {
		for i := range l.Items {
			s.of.share(&l.Items[i])
		}
	}
	return nil
}

// Watch implements storage.Interface.
func (s shared) Watch(ctx context.Context, key string, o storage.ListOptions) (watch.Interface, error) {
	w, err := s.Interface.Watch(ctx, key, o)
	if err != nil {
		return nil, err
	}
	all := &watcher{of: w, events: make(chan watch.Event), stopped: make(chan struct{})}
	all.stop = sync.OnceFunc(func() { close(all.stopped) })
	go all.run(s.of)
	return all, nil
}

// watcher passes events on.
type watcher struct {
	of      watch.Interface
	events  chan watch.Event
	stopped chan struct{}
	stop    func()
}

// Stop implements watch.Interface.
func (w *watcher) Stop() {
	w.stop()
	w.of.Stop()
}

// ResultChan implements watch.Interface.
func (w *watcher) ResultChan() <-chan watch.Event { return w.events }

func (w *watcher) run(p *parts) {
	defer close(w.events)
	for {
		select {
		case e, more := <-w.of.ResultChan():
			if !more {
				return
			}
			if u, is := e.Object.(*unstructured.Unstructured); is {
				p.share(u)
			}
			select {
			case w.events <- e:
			case <-w.stopped:
				return
			}
		case <-w.stopped:
			return
		}
	}
}
