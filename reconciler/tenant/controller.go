// Package tenant writes the status of Tenants: how many Federations each governs, and whether another Tenant governs one of them.
package tenant

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate/tenancy"
	"github.com/accord-dev/accord/reconciler/store"
	"github.com/accord-dev/accord/status"
)

// Controller writes the statuses of all Tenants whenever a Tenant or a Federation is created, changed or deleted.
type Controller struct {
	client.Reader
	Records store.Store
}

// every is the only request: a change of one Tenant can change the statuses of others.
var every = reconcile.Request{}

// Start has the manager run the controller.
func (c *Controller) Start(mgr manager.Manager, o controller.Options) error {
	all := handler.EnqueueRequestsFromMapFunc(func(context.Context, client.Object) []reconcile.Request { return []reconcile.Request{every} })
	specs := builder.WithPredicates(predicate.GenerationChangedPredicate{})
	return ctrl.NewControllerManagedBy(mgr).Named("tenant").
		Watches(&v1alpha1.Tenant{}, all, specs).Watches(&v1alpha1.Federation{}, all, specs).
		WithOptions(o).Complete(c)
}

// Reconcile writes the statuses that changed.
func (c *Controller) Reconcile(ctx context.Context, _ ctrl.Request) (ctrl.Result, error) {
	err := c.write(ctx)
	if ctx.Err() != nil {
		return ctrl.Result{}, nil // the process stops
	}
	return ctrl.Result{}, err
}

func (c *Controller) write(ctx context.Context) error {
	tenants, federations := &v1alpha1.TenantList{}, &v1alpha1.FederationList{}
	if err := c.List(ctx, tenants); err != nil {
		return fmt.Errorf("listing tenants: %w", err)
	}
	if err := c.List(ctx, federations); err != nil {
		return fmt.Errorf("listing federations: %w", err)
	}
	inputs := governed(tenants.Items, federations.Items)
	for i := range tenants.Items {
		t := &tenants.Items[i]
		next := status.Tenant(t.Status, t.Generation, inputs[t.Name], time.Now())
		if equality.Semantic.DeepEqual(t.Status, next) {
			continue
		}
		t.Status = next
		if err := client.IgnoreNotFound(c.Records.PutStatus(ctx, t)); err != nil {
			return err
		}
	}
	return nil
}

// governed returns the inputs of the statuses of Tenants, by name.
func governed(tenants []v1alpha1.Tenant, federations []v1alpha1.Federation) map[string]status.TenantInput {
	all := map[string]status.TenantInput{}
	slices.SortFunc(federations, func(a, b v1alpha1.Federation) int {
		return strings.Compare(a.Namespace+"/"+a.Name, b.Namespace+"/"+b.Name)
	})
	for _, f := range federations {
		governing := tenancy.Governing(tenants, f.Namespace)
		var names []string
		for _, t := range governing {
			names = append(names, t.Name)
		}
		for _, name := range names {
			in := all[name]
			in.Federations++
			if len(names) > 1 {
				in.Conflicts = append(in.Conflicts, fmt.Sprintf("%s/%s (Tenants %s)", f.Namespace, f.Name, phrase.And(names, 4)))
			}
			all[name] = in
		}
	}
	return all
}
