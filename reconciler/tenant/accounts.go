package tenant

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/tenancy"
	"github.com/accord-dev/accord/status"
)

// Accounts returns the function that finds the account of a Federation by the Tenants of the hub at the time of the call: each write
// uses the Tenant as it is then. required demands a Tenant although none exists.
func Accounts(hub client.Reader, required bool) func(context.Context, types.NamespacedName) (tenancy.Account, error) {
	return func(ctx context.Context, federation types.NamespacedName) (tenancy.Account, error) {
		list := &v1alpha1.TenantList{}
		if err := hub.List(ctx, list); err != nil {
			return tenancy.Account{}, fmt.Errorf("listing tenants: %w", err)
		}
		return account(list.Items, federation, required)
	}
}

// AccountsAmong is like Accounts for a run without a hub.
func AccountsAmong(tenants []v1alpha1.Tenant) func(context.Context, types.NamespacedName) (tenancy.Account, error) {
	return func(_ context.Context, federation types.NamespacedName) (tenancy.Account, error) {
		return account(tenants, federation, false)
	}
}

func account(tenants []v1alpha1.Tenant, federation types.NamespacedName, required bool) (tenancy.Account, error) {
	found, refused := tenancy.AccountOf(tenants, federation.String(), required)
	if refused != nil {
		return tenancy.Account{}, &status.RefusalError{Err: refused}
	}
	return found, nil
}
