package permit

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/propagate"
)

// deliveryVerbs are the verbs that accord uses on every kind it delivers.
var deliveryVerbs = []string{"get", "list", "watch", "create", "patch", "delete"}

// Rights returns the rules of a ClusterRole, sorted, that a cluster has to grant at least: for the objects it gets and for
// the kinds in also, which it got before. An unplaced object counts for every cluster, because it may go to any of them
// once the room of the clusters is known. A watch cannot be narrowed to our label, so each kind is readable as a whole.
// resource returns the plural under which the cluster serves a kind.
//
// Kubernetes demands more of clients that write roles: the rules allow escalating each delivered Role and binding each
// role that a binding refers to, by name. OwnRights are not among the rules, nor is listing all objects of a
// Namespace, which deleting the Namespace takes.
func Rights(p *propagate.Plan, cluster string, also []schema.GroupKind, resource func(schema.GroupKind) string) []rbacv1.PolicyRule {
	target := p.ForCluster(cluster)
	kinds := append([]schema.GroupKind{{Kind: "Namespace"}}, also...) // for the namespace of the inventory
	var rules []rbacv1.PolicyRule
	for _, o := range target.Objects {
		kinds = append(kinds, o.ID.GroupKind())
		rules = append(rules, roleRights(o.Rendered, resource)...)
	}
	for _, d := range p.Decisions {
		if d.Unplaced() {
			kinds = append(kinds, d.ID.GroupKind())
		}
	}
	slices.SortFunc(kinds, compareKinds)
	for _, gk := range slices.Compact(kinds) {
		rules = append(rules, rbacv1.PolicyRule{APIGroups: []string{gk.Group}, Resources: []string{resource(gk)}, Verbs: deliveryVerbs})
	}
	rules = append(rules, rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"nodes"}, Verbs: []string{"list"}})
	if p.NeedsRoom() || slices.ContainsFunc(target.Objects, hasPods) {
		rules = append(rules, rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"list"}})
	}
	return joined(rules)
}

// hasPods reports whether an object is a workload. accord lists its pods when it does not become healthy.
func hasPods(o propagate.Placed) bool {
	body := o.Body.Bytes()
	return bytes.Contains(body, []byte(`"containers"`)) && bytes.Contains(body, []byte(`"selector"`))
}

// OwnRights returns the rules that accord needs in applyset.InventoryNamespace: for its inventory, and to renew the token of its
// ServiceAccount.
func OwnRights(account string) []rbacv1.PolicyRule {
	return append(InventoryRights(),
		rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"serviceaccounts/token"}, ResourceNames: []string{account}, Verbs: []string{"create"}})
}

// InventoryRights returns the rules that accord needs in applyset.InventoryNamespace for its inventory.
func InventoryRights() []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"get", "list", "create", "patch", "delete"}}}
}

// DefaultRights returns the rules of the ClusterRole that "accord join" makes: the built-in kinds of workloads in all
// namespaces, and namespaces. Roles, webhooks, admission policies and nodes are not among them.
func DefaultRights(secrets, crds bool) []rbacv1.PolicyRule {
	core := []string{"configmaps", "limitranges", "namespaces", "persistentvolumeclaims", "pods", "replicationcontrollers",
		"resourcequotas", "serviceaccounts", "services"}
	if secrets {
		core = append(core, "secrets")
	}
	rules := []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: core, Verbs: deliveryVerbs}}
	for _, k := range []struct {
		group     string
		resources []string
	}{
		{"apps", []string{"daemonsets", "deployments", "replicasets", "statefulsets"}},
		{"autoscaling", []string{"horizontalpodautoscalers"}},
		{"batch", []string{"cronjobs", "jobs"}},
		{"networking.k8s.io", []string{"ingresses", "networkpolicies"}},
		{"policy", []string{"poddisruptionbudgets"}},
	} {
		rules = append(rules, rbacv1.PolicyRule{APIGroups: []string{k.group}, Resources: k.resources, Verbs: deliveryVerbs})
	}
	if crds {
		rules = append(rules, rbacv1.PolicyRule{APIGroups: []string{"apiextensions.k8s.io"}, Resources: []string{"customresourcedefinitions"}, Verbs: deliveryVerbs})
	}
	return joined(append(rules, rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"nodes"}, Verbs: []string{"list"}}))
}

// roleRights returns the rules for delivering a role or a binding, beside those for writing it.
func roleRights(o *propagate.Rendered, resource func(schema.GroupKind) string) []rbacv1.PolicyRule {
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
		if json.Unmarshal(o.Body.Bytes(), &binding) != nil || binding.RoleRef.Name == "" {
			return nil // the member refuses this binding in any case
		}
		return allow("bind", binding.RoleRef.Kind, binding.RoleRef.Name)
	}
	return nil
}

// joined merges rules that differ in their resources or names only, as a person would write them.
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

// absorb adds rule r, with the same group and verbs, to another one. It reports false if the sum would allow more than both.
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

// compacted returns the union of two lists, sorted.
func compacted(a, b []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(a, b))))
}

func compareKinds(a, b schema.GroupKind) int {
	return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Kind, b.Kind))
}

// ImpersonationRights returns the right to act for users and members of groups of the hub, and for nobody else.
func ImpersonationRights(users, groups []string) []rbacv1.PolicyRule {
	var rules []rbacv1.PolicyRule
	for resource, names := range map[string][]string{"users": users, "groups": groups} {
		if len(names) > 0 {
			rules = append(rules, rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{resource}, ResourceNames: names, Verbs: []string{"impersonate"}})
		}
	}
	slices.SortFunc(rules, func(a, b rbacv1.PolicyRule) int { return strings.Compare(b.Resources[0], a.Resources[0]) })
	return rules
}

// CheckImpersonated returns an error for names that accord never acts for: those of Kubernetes stand for another identity on each cluster.
func CheckImpersonated(users, groups []string) error {
	for flag, names := range map[string][]string{"--impersonate-user": users, "--impersonate-group": groups} {
		for _, name := range names {
			if name == "" || name == "*" || strings.HasPrefix(name, "system:") {
				return fmt.Errorf("%s %q: expected the name of a person, a machine or a team; names that begin with \"system:\" stand for another identity on each cluster", flag, name)
			}
		}
	}
	return nil
}
