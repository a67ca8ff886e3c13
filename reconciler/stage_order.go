package reconciler

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
)

// ordered reads what people ordered on the newest Release about its rollouts, and has them looked at.
func (s *syncer) ordered(ctx context.Context, f *federation) error {
	f.mu.Lock()
	staged := f.plan != nil && len(f.plan.Rollouts()) > 0
	release := &v1alpha1.Release{}
	if f.release != nil {
		release.Namespace, release.Name = f.release.Namespace, f.release.Name
	}
	f.mu.Unlock()
	if !staged || release.Name == "" {
		return nil
	}
	if err := s.Get(ctx, client.ObjectKeyFromObject(release), release); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("reading what was ordered on release %s: %w", release.Name, err)
	}
	orders := policy.CommandsIn(release.Annotations)
	f.mu.Lock()
	changed := !slices.Equal(orders, f.staging.orders)
	f.staging.orders = orders
	f.mu.Unlock()
	if changed {
		s.engine.reporter.add(stageEntry(f.key), 0)
	}
	return nil
}

// orderGiven is true of a Release when what people order about its rollouts was changed.
func orderGiven() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc: func(e event.CreateEvent) bool { return false },
		UpdateFunc: func(e event.UpdateEvent) bool { return ordersOn(e.ObjectOld) != ordersOn(e.ObjectNew) },
		DeleteFunc: func(e event.DeleteEvent) bool { return false },
	}
}

func ordersOn(obj client.Object) string {
	var b strings.Builder
	for _, o := range policy.CommandsIn(obj.GetAnnotations()) {
		b.WriteString(o.String() + "\n")
	}
	return b.String()
}
