package propagate

import (
	"cmp"
	"encoding/json"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// delivering is what is done with an object of ours: it is looked for, watched, applied and pruned.
var delivering = []string{"get", "list", "watch", "create", "patch", "delete"}

// Rights are the least that a cluster has to allow for what it gets, and for the kinds in also, which it got before:
// the rules of a ClusterRole, sorted. An object for which no cluster fits, as far as is known here, may go to any of them.
// A watch cannot be narrowed to what carries our label, so a kind is readable as a whole. resource is the plural that a
// kind is served under.
//
// A member wants more of those who write roles than of others: each Role that is delivered may be escalated and each one
// that a binding refers to may be bound, by name. InventoryRights are not among the rules, and neither is
// listing everything in a Namespace, which deleting one takes.
func (p *Plan) Rights(cluster string, also []schema.GroupKind, resource func(schema.GroupKind) string) []rbacv1.PolicyRule {
	target := p.For(cluster)
	kinds := append([]schema.GroupKind{{Kind: "Namespace"}}, also...) // the one that the inventory is in
	var rules []rbacv1.PolicyRule
	for _, o := range target.Objects {
		kinds = append(kinds, o.ID.GroupKind())
		rules = append(rules, authority(o.Rendered, resource)...)
	}
	for i := range p.Decisions {
		if d := &p.Decisions[i]; d.Unplaced() { // with what is known of the clusters here; they may have room for it
			kinds = append(kinds, d.ID.GroupKind())
		}
	}
	slices.SortFunc(kinds, compareKinds)
	for _, gk := range slices.Compact(kinds) {
		rules = append(rules, rbacv1.PolicyRule{APIGroups: []string{gk.Group}, Resources: []string{resource(gk)}, Verbs: delivering})
	}
	rules = append(rules, rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"nodes"}, Verbs: []string{"list"}})
	if p.NeedsRoom() {
		rules = append(rules, rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"list"}})
	}
	return joined(rules)
}

// InventoryRights are those in InventoryNamespace: for the list of what is ours, which stands there and nowhere else.
func InventoryRights() []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{{
		APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"get", "list", "create", "patch", "delete"},
	}}
}

// authority is what it takes to deliver a role or a binding beyond writing it.
func authority(o *Rendered, resource func(schema.GroupKind) string) []rbacv1.PolicyRule {
	if o.ID.Group != rbacv1.GroupName {
		return nil
	}
	allow := func(verb, kind, name string) []rbacv1.PolicyRule {
		gk := schema.GroupKind{Group: rbacv1.GroupName, Kind: kind}
		return []rbacv1.PolicyRule{{
			APIGroups: []string{gk.Group}, Resources: []string{resource(gk)}, ResourceNames: []string{name}, Verbs: []string{verb},
		}}
	}
	switch o.ID.Kind {
	case "Role", "ClusterRole":
		return allow("escalate", o.ID.Kind, o.ID.Name)
	case "RoleBinding", "ClusterRoleBinding":
		var binding struct {
			RoleRef rbacv1.RoleRef `json:"roleRef"`
		}
		if json.Unmarshal(o.JSON, &binding) != nil || binding.RoleRef.Name == "" {
			return nil // the member refuses it, whatever we may do
		}
		return allow("bind", binding.RoleRef.Kind, binding.RoleRef.Name)
	}
	return nil
}

// joined puts rules together that differ in their resources or names only, as a person would write them.
func joined(rules []rbacv1.PolicyRule) []rbacv1.PolicyRule {
	slices.SortStableFunc(rules, func(a, b rbacv1.PolicyRule) int {
		return cmp.Or(slices.Compare(a.APIGroups, b.APIGroups), slices.Compare(a.Verbs, b.Verbs), cmp.Compare(len(a.ResourceNames), len(b.ResourceNames)),
			slices.Compare(a.Resources, b.Resources), slices.Compare(a.ResourceNames, b.ResourceNames))
	})
	var all []rbacv1.PolicyRule
	for _, r := range rules {
		if len(all) == 0 || !absorb(&all[len(all)-1], r) {
			all = append(all, r)
		}
	}
	return all
}

// absorb adds to a rule what the next one of the same group and verbs allows; false if that would allow more than both.
func absorb(into *rbacv1.PolicyRule, r rbacv1.PolicyRule) bool {
	same := slices.Equal(into.Resources, r.Resources)
	switch {
	case !slices.Equal(into.APIGroups, r.APIGroups) || !slices.Equal(into.Verbs, r.Verbs):
		return false
	case len(into.ResourceNames) == 0 && len(r.ResourceNames) == 0:
		into.Resources = compacted(into.Resources, r.Resources)
	case same && len(into.ResourceNames) > 0 && len(r.ResourceNames) > 0:
		into.ResourceNames = compacted(into.ResourceNames, r.ResourceNames)
	default:
		return false
	}
	return true
}

// compacted is both sorted lists in one, without what is there twice.
func compacted(a, b []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(a, b))))
}

func compareKinds(a, b schema.GroupKind) int {
	return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Kind, b.Kind))
}
