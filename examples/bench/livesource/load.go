package livesource

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// changeAnnotation has the number of the last change of an object.
const changeAnnotation = "bench.accord.dev/change"

// Load is a number of changes in production. Each changes another object.
type Load struct {
	Changes, Rate int // changes a second
	// First is the number of the first change. No two loads of one namespace have a number in common.
	First int
	// Patience is the longest time after the last change for which the standby may be without a change.
	Patience time.Duration
}

// Standby is a watch on one namespace of the standby. It is safe for concurrent use.
type Standby struct {
	mu      sync.Mutex
	objects map[string]bool
	times   map[string]time.Time // of the first sight of a change, by its number
}

// Observe watches one namespace of the standby until ctx ends. It watches metadata only, to cost little beside the measured program.
func Observe(ctx context.Context, standby *rest.Config, namespace string) (*Standby, error) {
	c, err := metadata.NewForConfig(standby)
	if err != nil {
		return nil, err
	}
	s := &Standby{objects: map[string]bool{}, times: map[string]time.Time{}}
	factory := metadatainformer.NewFilteredSharedInformerFactory(c, 0, namespace, nil)
	for kind, resource := range resources {
		see := func(now any) { s.see(kind, now.(*metav1.PartialObjectMetadata)) }
		if _, err := factory.ForResource(resource).Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc: see, UpdateFunc: func(_, now any) { see(now) },
		}); err != nil {
			return nil, err
		}
	}
	factory.Start(ctx.Done())
	for _, synced := range factory.WaitForCacheSync(ctx.Done()) {
		if !synced {
			return nil, context.Cause(ctx)
		}
	}
	return s, nil
}

func (s *Standby) see(kind string, o *metav1.PartialObjectMetadata) {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.objects[kind+"/"+o.Name] = true
	if change := o.Annotations[changeAnnotation]; change != "" && s.times[change].IsZero() {
		s.times[change] = now
	}
}

// Objects returns the number of objects that were there.
func (s *Standby) Objects() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.objects)
}

// at returns when the standby had a change; zero if it does not have it yet.
func (s *Standby) at(change string) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.times[change]
}

// Run makes the changes in production, at their rate whatever the standby does. It returns the time of each from before its request to
// production until the standby has it.
func (l Load) Run(ctx context.Context, production *rest.Config, objects []*unstructured.Unstructured, standby *Standby) ([]time.Duration, error) {
	if l.Changes > len(objects) {
		return nil, fmt.Errorf("%d changes need as many objects, and there are %d", l.Changes, len(objects))
	}
	c, err := dynamic.NewForConfig(production)
	if err != nil {
		return nil, err
	}
	began, errs := make([]time.Time, l.Changes), make([]error, l.Changes)
	ticks := time.NewTicker(time.Second / time.Duration(l.Rate))
	defer ticks.Stop()
	var changing sync.WaitGroup
	for n := range l.Changes {
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		changing.Go(func() {
			began[n] = time.Now()
			errs[n] = l.change(ctx, c, objects[n*len(objects)/l.Changes], l.First+n)
		})
	}
	changing.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return l.arrivals(ctx, began, standby)
}

// change changes the image of a Deployment, or the data of a ConfigMap.
func (l Load) change(ctx context.Context, c dynamic.Interface, o *unstructured.Unstructured, number int) error {
	change := fmt.Sprint(number)
	patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}},"data":{"change":%q}}`, changeAnnotation, change, change)
	if o.GetKind() == "Deployment" {
		patch = fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}},"spec":{"template":{"spec":{"containers":[{"name":"web","image":"registry.example.com/shop/web:%s"}]}}}}`,
			changeAnnotation, change, change)
	}
	_, err := c.Resource(resources[o.GetKind()]).Namespace(o.GetNamespace()).Patch(ctx, o.GetName(), types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{})
	if err != nil {
		return fmt.Errorf("changing %s %s: %w", o.GetKind(), o.GetName(), err)
	}
	return nil
}

// arrivals waits until the standby has all changes.
func (l Load) arrivals(ctx context.Context, began []time.Time, standby *Standby) ([]time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, l.Patience)
	defer cancel()
	took := make([]time.Duration, len(began))
	for n := range began {
		for took[n] == 0 {
			if at := standby.at(fmt.Sprint(l.First + n)); !at.IsZero() {
				took[n] = at.Sub(began[n])
				continue
			}
			select {
			case <-time.After(10 * time.Millisecond):
			case <-ctx.Done():
				return nil, fmt.Errorf("the standby does not have change %d of %d: %w", n+1, len(began), context.Cause(ctx))
			}
		}
	}
	return took, nil
}
