package main

import (
	"context"
	"fmt"
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// place is one object on one member.
type place struct{ member, resource, name string }

// observer sees through watches what is there, the same way for both sides. What it sees of an object is a number that
// grows with every change.
type observer struct {
	mu       sync.Mutex
	seen     map[place]int64
	expected []*expectation // what has not been seen yet
}

func newObserver() *observer { return &observer{seen: map[place]int64{}} }

// observe returns when the watches on one namespace of all members stand. They end with ctx. It watches metadata only, to
// cost little beside what is measured. What is seen is the generation: 0 for a ConfigMap.
func observe(ctx context.Context, members map[string]*rest.Config, namespace string) (*observer, error) {
	o := newObserver()
	for member, config := range members {
		c, err := metadata.NewForConfig(config)
		if err != nil {
			return nil, fmt.Errorf("watching member %s: %w", member, err)
		}
		factory := metadatainformer.NewFilteredSharedInformerFactory(c, 0, namespace, nil)
		for _, resource := range []schema.GroupVersionResource{
			{Group: "apps", Version: "v1", Resource: "deployments"}, {Version: "v1", Resource: "configmaps"},
		} {
			_, err := factory.ForResource(resource).Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
				AddFunc:    func(now any) { o.seeMetadata(member, resource.Resource, now) },
				UpdateFunc: func(_, now any) { o.seeMetadata(member, resource.Resource, now) },
			})
			if err != nil {
				return nil, fmt.Errorf("watching %s of member %s: %w", resource.Resource, member, err)
			}
		}
		factory.Start(ctx.Done())
		for resource, synced := range factory.WaitForCacheSync(ctx.Done()) {
			if !synced {
				return nil, fmt.Errorf("watching %s of member %s: %w", resource.Resource, member, context.Cause(ctx))
			}
		}
	}
	return o, nil
}

func (o *observer) seeMetadata(member, resource string, now any) {
	if object, ok := now.(*metav1.PartialObjectMetadata); ok { // else a tombstone: nothing measured here deletes
		o.see(place{member, resource, object.Name}, object.Generation)
	}
}

func (o *observer) see(at place, number int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.seen[at] = number
	o.expected = slices.DeleteFunc(o.expected, func(e *expectation) bool { return e.meet(at, number) })
}
