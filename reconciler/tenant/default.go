package tenant

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// DefaultName is the name of the permissive Tenant that "accord up" creates.
const DefaultName = "default"

// CreateDefault creates a Tenant that governs every Federation and allows everything, unless the hub has a Tenant. It reports
// whether it created the Tenant.
func CreateDefault(ctx context.Context, cfg *rest.Config) (created bool, err error) {
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		return false, err
	}
	hub, err := client.New(cfg, client.Options{Scheme: scheme})
	if err != nil {
		return false, fmt.Errorf("connecting to the hub: %w", err)
	}
	existing := &v1alpha1.TenantList{}
	if err := hub.List(ctx, existing); err != nil || len(existing.Items) > 0 {
		return false, err
	}
	err = hub.Create(ctx, &v1alpha1.Tenant{ObjectMeta: metav1.ObjectMeta{Name: DefaultName}, Spec: permissive()})
	if apierrors.IsAlreadyExists(err) {
		return false, nil
	}
	return err == nil, err
}

// permissive returns the rules of a Tenant that allows everything.
func permissive() v1alpha1.TenantSpec {
	all := []string{"*"}
	return v1alpha1.TenantSpec{
		Federations: v1alpha1.TenantFederations{Namespaces: all}, Sources: []string{"**"}, Namespaces: all,
		Kinds: v1alpha1.TenantKinds{ClusterScoped: all},
		May: []v1alpha1.Power{
			v1alpha1.DeclareClusters, v1alpha1.HoldClusters, v1alpha1.TaintClusters, v1alpha1.CustomizeKinds, v1alpha1.Overwrite, v1alpha1.AllowPrune,
			v1alpha1.DeclareFederations,
		},
	}
}
