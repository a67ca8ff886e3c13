package sync

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/dependency"
	"github.com/accord-dev/accord/propagate/tenancy"
	"github.com/accord-dev/accord/status"
)

// depend ends the reconciliation while a Federation in spec.dependsOn is not ready. The revision that the clusters have goes on: a
// dependency that fails later stops no repair.
func (c *Controller) depend(ctx context.Context, s *scope) (bool, error) {
	if len(s.fed.Spec.DependsOn) == 0 || s.delivers() {
		return true, nil
	}
	list := &v1alpha1.FederationList{}
	if err := c.List(ctx, list); err != nil {
		return false, fmt.Errorf("listing the federations that %s/%s depends on: %w", s.fed.Namespace, s.fed.Name, err)
	}
	mayRead := func(namespace string) bool {
		return s.rules == nil || tenancy.Governs(s.rules.Tenant, namespace)
	}
	w := dependency.NewFederations(list.Items, mayRead).Of(s.fed, s.checkout.Revision())
	if w == nil {
		return true, nil
	}
	temporary := w.Problem == dependency.NotReady || w.Problem == dependency.NotFound
	c.pool.Enqueue(s.f.SourceUnavailable(&status.DependencyError{Reason: string(w.Problem), Message: w.Message, Temporary: temporary}))
	return false, nil
}

// delivers reports whether the clusters have the revision of the checkout.
func (s *scope) delivers() bool {
	revision, _ := s.f.ActiveRevision()
	if recorded, restarted := s.f.RecordedRevision(); restarted {
		revision = recorded
	}
	return revision == s.checkout.Revision()
}

// dependents reconciles the Federations that wait for another one.
func (c *Controller) dependents() handler.EventHandler {
	return handler.EnqueueRequestsFromMapFunc(func(_ context.Context, changed client.Object) []reconcile.Request {
		var all []reconcile.Request
		for _, f := range c.registry.Federations() {
			if _, waits := f.SourceError().(*status.DependencyError); waits && f.Key() != client.ObjectKeyFromObject(changed) {
				all = append(all, reconcile.Request{NamespacedName: f.Key()})
			}
		}
		return all
	})
}
