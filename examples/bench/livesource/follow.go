package livesource

import (
	"context"
	"fmt"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// manager is the field manager of the floor.
const manager = "floor"

// Follow is the floor: it watches one namespace of production, and applies each new version of an object to the standby, until ctx
// ends. It has no policies, no plan, no status and no deletions. It calls failed for each object that the standby refuses.
func Follow(ctx context.Context, production, standby *rest.Config, namespace string, failed func(error)) error {
	from, err := dynamic.NewForConfig(production)
	if err != nil {
		return err
	}
	to, err := dynamic.NewForConfig(standby)
	if err != nil {
		return err
	}
	f := &follower{to: to, queue: workqueue.NewTyped[item](), stores: map[schema.GroupVersionResource]cache.Store{}}
	informers := dynamicinformer.NewFilteredDynamicSharedInformerFactory(from, 0, namespace, nil)
	for _, resource := range resources {
		informer := informers.ForResource(resource).Informer()
		f.stores[resource] = informer.GetStore()
		add := func(now any) { f.queue.Add(item{resource, cache.MetaObjectToName(now.(metav1.Object)).String()}) }
		if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: add, UpdateFunc: func(_, now any) { add(now) }}); err != nil {
			return err
		}
	}
	if err := f.space(ctx, namespace); err != nil {
		return err
	}
	informers.Start(ctx.Done())
	var working sync.WaitGroup
	for range requestsAtOnce {
		working.Go(func() {
			for f.next(ctx, failed) {
			}
		})
	}
	<-ctx.Done()
	f.queue.ShutDown()
	working.Wait()
	informers.Shutdown()
	return nil
}

// item is an object whose newest version is not applied yet.
type item struct {
	resource schema.GroupVersionResource
	key      string
}

type follower struct {
	to     dynamic.Interface
	queue  workqueue.TypedInterface[item]
	stores map[schema.GroupVersionResource]cache.Store
}

func (f *follower) space(ctx context.Context, name string) error {
	u := &unstructured.Unstructured{}
	u.SetAPIVersion("v1")
	u.SetKind("Namespace")
	u.SetName(name)
	_, err := f.to.Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}).Apply(ctx, name, u, metav1.ApplyOptions{FieldManager: manager, Force: true})
	return err
}

// next applies the newest version of one object; false after the end of the queue.
func (f *follower) next(ctx context.Context, failed func(error)) bool {
	i, end := f.queue.Get()
	if end {
		return false
	}
	defer f.queue.Done(i)
	found, exists, err := f.stores[i.resource].GetByKey(i.key)
	if err != nil || !exists {
		return true
	}
	u := found.(*unstructured.Unstructured).DeepCopy()
	strip(u)
	if _, err := f.to.Resource(i.resource).Namespace(u.GetNamespace()).Apply(ctx, u.GetName(), u, metav1.ApplyOptions{FieldManager: manager, Force: true}); err != nil && ctx.Err() == nil {
		failed(fmt.Errorf("applying %s %s: %w", u.GetKind(), u.GetName(), err))
	}
	return true
}

// strip removes the fields that belong to the cluster of an object.
func strip(u *unstructured.Unstructured) {
	delete(u.Object, "status")
	u.SetManagedFields(nil)
	u.SetUID("")
	u.SetResourceVersion("")
	unstructured.RemoveNestedField(u.Object, "metadata", "generation")
	unstructured.RemoveNestedField(u.Object, "metadata", "creationTimestamp")
}
