package main

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// observeStanding sees one kind in one namespace of all these control planes: of each object the newest generation whose
// status.observedGeneration stood with it. It returns when its watches stand. They end with ctx.
func observeStanding(ctx context.Context, planes map[string]*rest.Config, resource schema.GroupVersionResource, namespace string) (*observer, error) {
	o := newObserver()
	for plane, config := range planes {
		c, err := dynamic.NewForConfig(config)
		if err != nil {
			return nil, fmt.Errorf("watching %s: %w", plane, err)
		}
		factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(c, 0, namespace, nil)
		see := func(now any) {
			u, ok := now.(*unstructured.Unstructured)
			if ok && stands(u) { // else a tombstone: nothing measured here deletes
				o.see(place{plane, resource.Resource, u.GetName()}, u.GetGeneration())
			}
		}
		if _, err := factory.ForResource(resource).Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc: see, UpdateFunc: func(_, now any) { see(now) },
		}); err != nil {
			return nil, fmt.Errorf("watching %s of %s: %w", resource.Resource, plane, err)
		}
		factory.Start(ctx.Done())
		for _, synced := range factory.WaitForCacheSync(ctx.Done()) {
			if !synced {
				return nil, fmt.Errorf("watching %s of %s: %w", resource.Resource, plane, context.Cause(ctx))
			}
		}
	}
	return o, nil
}

// stands says that the controller of an object has seen what it is now.
func stands(u *unstructured.Unstructured) bool {
	observed, found, err := unstructured.NestedInt64(u.Object, "status", "observedGeneration")
	return err == nil && found && observed >= u.GetGeneration()
}
