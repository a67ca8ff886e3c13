package load

import (
	"context"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/tenancy"
	"github.com/accord-dev/accord/render"
)

// TenantsUsage is the usage of the flag --tenants.
const TenantsUsage = "file with the Tenants to check against (default those of the hub, if one is used)"

// ReadTenants reads the Tenants of a file, which may have other manifests. An empty name is no file.
func ReadTenants(file string) ([]v1alpha1.Tenant, error) {
	if file == "" {
		return nil, nil
	}
	objects, err := ReadManifests(file)
	if err != nil {
		return nil, err
	}
	var tenants []v1alpha1.Tenant
	var errs []error
	for _, o := range objects {
		if gk := o.ID().GroupKind(); gk.Group != v1alpha1.GroupVersion.Group || gk.Kind != "Tenant" {
			continue
		}
		t, err := v1alpha1.DecodeTenant(o.Manifest.Get(), o.Text, o.Origin)
		tenants, errs = append(tenants, t), append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if len(tenants) == 0 {
		return nil, fmt.Errorf("--tenants: %s has no Tenant", file)
	}
	return tenants, nil
}

// listTenants reads the Tenants of a hub. A user without the right to list them, and a hub without the kind, have none.
func listTenants(ctx context.Context, h *hub.Hub) ([]v1alpha1.Tenant, error) {
	list := &v1alpha1.TenantList{}
	err := h.List(ctx, list)
	if err == nil || apierrors.IsForbidden(err) || apierrors.IsNotFound(err) || apimeta.IsNoMatchError(err) {
		return list.Items, nil
	}
	return nil, h.Wrap("listing the tenants", err)
}

// Governance has the rules and the refusals of Tenants about a Federation. The zero value allows everything.
type Governance struct {
	rules      *tenancy.Rules
	federation *v1alpha1.Federation
	present    []v1alpha1.Cluster
	// ofHub is set if the Tenants are those of a hub, or of its facts.
	ofHub bool
	// refused is refused whatever the sources have.
	refused []tenancy.Refusal
}

// Governance returns the rules and the refusals of the Tenants of --tenants, or else of the hub, about a Federation. k has the facts of the hub, and may
// be nil. A source without a URL is a directory that the user named.
func (f *Flags) Governance(fed *v1alpha1.Federation, k *HubSnapshot) (Governance, error) {
	tenants, err := ReadTenants(f.Tenants)
	if err != nil {
		return Governance{}, err
	}
	g := Governance{federation: fed}
	if k != nil {
		g.present = k.Clusters
	}
	if f.Tenants == "" && k != nil {
		tenants, g.ofHub = k.Tenants, true
	}
	rules, refused := tenancy.Of(tenants, fed.Namespace+"/"+fed.Name, false)
	if refused != nil {
		g.refused = []tenancy.Refusal{*refused}
	}
	g.rules = rules
	named := slices.DeleteFunc(slices.Clone(fed.Spec.Sources), func(s v1alpha1.Source) bool { return s.URL == "" })
	g.refused = append(g.refused, rules.Sources(named)...)
	return g, nil
}

// Declarer returns the value of the label of the Clusters that the Federation declares, "shop.prod".
func (g Governance) Declarer() string { return g.federation.Declarer() }

// Account returns the account of the members that reads and writes the objects of the Federation.
func (g Governance) Account() tenancy.Account { return g.rules.Account() }

// Account returns the account of the members that reads and writes the objects of the tree.
func (t *Tree) Account() tenancy.Account { return t.governance.Account() }

// Govern removes the clusters that do not exist for the Tenant from the input of a tree.
func (t *Tree) Govern(g Governance) {
	t.governance, t.Input.Fleet = g, g.rules.Fleet(t.Input.Fleet)
}

// Refusals returns the findings of the Tenant about the plan of a tree, which is nil if there is none. allowPrune is set if the commit
// lifts the prune limits.
func (t *Tree) Refusals(plan *propagate.Plan, allowPrune bool) []propagate.Finding {
	g := t.governance
	all := slices.Concat(g.refused, g.overLimit(t.size))
	if g.rules != nil || g.ofHub {
		all = append(all, g.rules.Scripts(t.Parts)...)
	}
	if plan != nil && g.federation != nil {
		all = slices.Concat(all, g.rules.Check(tenancy.Revision{
			Federation: g.federation, Parts: t.Parts, Plan: plan, Present: g.present, AllowPrune: allowPrune,
		}))
	}
	return tenancy.Findings(all)
}

// overLimit returns the refusal of manifests that exceed the limits of the Tenant. Without a Tenant, a hub has the default limits.
func (g Governance) overLimit(size *render.Budget) []tenancy.Refusal {
	limits := g.rules.Limits()
	if g.rules == nil && g.ofHub {
		limits = limits.WithDefaults()
	}
	limit, exceeded := errors.AsType[*render.LimitError](size.Within(int(limits.Objects), limits.MaxBytes()))
	if !exceeded {
		return nil
	}
	return []tenancy.Refusal{g.rules.OverLimit(limit)}
}
