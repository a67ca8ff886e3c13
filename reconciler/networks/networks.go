// Package networks finds the private networks that the requests of a Federation may reach.
package networks

import (
	"context"
	"fmt"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/egress"
	"github.com/accord-dev/accord/propagate/tenancy"
)

// Of returns the networks of the process and those of the Tenant of the Federation.
func Of(ctx context.Context, hub client.Reader, fed *v1alpha1.Federation, process egress.Networks) (egress.Networks, error) {
	tenants := &v1alpha1.TenantList{}
	if err := hub.List(ctx, tenants); err != nil {
		return nil, fmt.Errorf("listing tenants: %w", err)
	}
	rules, refused := tenancy.Of(tenants.Items, fed.Namespace+"/"+fed.Name, false)
	if refused != nil {
		return process, nil
	}
	more, err := egress.ParseNetworks(rules.Networks())
	if err != nil {
		return nil, fmt.Errorf("spec.networks of Tenant %s: %w", rules.Tenant.Name, err)
	}
	return slices.Concat(process, more), nil
}
