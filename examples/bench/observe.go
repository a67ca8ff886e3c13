package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// place is one object on one member.
type place struct{ member, resource, name string }

// observer sees what is on the members through watches, the same way for both sides. It watches metadata only, to
// cost little beside what is measured. What it sees is the generation: 0 for a ConfigMap.
type observer struct {
	mu     sync.Mutex
	seen   map[place]int64
	wanted map[place]int64
	done   chan time.Time
}

// observe returns when the watches on one namespace of all members stand. They end with ctx.
func observe(ctx context.Context, members map[string]*rest.Config, namespace string) (*observer, error) {
	o := &observer{seen: map[place]int64{}}
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
				AddFunc:    func(now any) { o.see(member, resource.Resource, now) },
				UpdateFunc: func(_, now any) { o.see(member, resource.Resource, now) },
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

func (o *observer) see(member, resource string, now any) {
	object, ok := now.(*metav1.PartialObjectMetadata)
	if !ok {
		return // a tombstone: nothing measured here deletes
	}
	at := place{member, resource, object.Name}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.seen[at] = object.Generation
	if least, ok := o.wanted[at]; ok && object.Generation >= least {
		delete(o.wanted, at)
		if len(o.wanted) == 0 {
			o.done <- time.Now()
		}
	}
}

// expect returns a channel that gets the time at which the last of the places was seen to be newer than it is now.
// Only one expectation is kept at a time.
func (o *observer) expect(places []place) <-chan time.Time {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.wanted = make(map[place]int64, len(places))
	o.done = make(chan time.Time, 1)
	for _, at := range places {
		o.wanted[at] = 0
		if generation, ok := o.seen[at]; ok {
			o.wanted[at] = generation + 1
		}
	}
	return o.done
}

// missing is how many of the expected places were not seen yet, and one of them.
func (o *observer) missing() (n int, one place) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for one = range o.wanted {
		break
	}
	return len(o.wanted), one
}
