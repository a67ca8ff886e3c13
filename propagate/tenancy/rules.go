package tenancy

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate/decode"
	"github.com/accord-dev/accord/render"
	"github.com/accord-dev/accord/status/interpret"
)

// Rules are the rules of the Tenant of a Federation. The nil Rules allow everything: no Tenant exists, and none is required.
type Rules struct {
	// Tenant is the Tenant, with the defaults of its limits. The caller must not change it.
	Tenant *v1alpha1.Tenant

	selector      labels.Selector
	sources       globs
	namespaces    globs
	clusterScoped kindGlobs
	denied        kindGlobs
}

// Of returns the rules for the Federations of a namespace. If exactly one Tenant has to govern them and none or several do, it
// returns a refusal. required demands a Tenant although none exists.
func Of(tenants []v1alpha1.Tenant, federation string, required bool) (*Rules, *Refusal) {
	namespace, _, _ := strings.Cut(federation, "/")
	governing := Governing(tenants, namespace)
	switch {
	case len(governing) == 1:
		return newRules(governing[0]), nil
	case len(governing) > 1:
		return nil, &Refusal{
			Rule: "spec.federations.namespaces", Object: "Federation " + federation,
			Message: fmt.Sprintf("Tenants %s govern Federation %s, and only one may", phrase.And(names(governing), maxNamed), federation),
			Fix:     fmt.Sprintf("remove namespace %s from spec.federations.namespaces of all but one of them", namespace),
		}
	case len(tenants) > 0 || required:
		why := "Tenants exist"
		if len(tenants) == 0 {
			why = "--require-tenant is set"
		}
		return nil, &Refusal{
			Rule: "spec.federations.namespaces", Object: "Federation " + federation,
			Message: fmt.Sprintf("no Tenant governs Federation %s, and one has to because %s", federation, why),
			Fix:     fmt.Sprintf("ask an administrator for a Tenant with %q in spec.federations.namespaces", namespace),
		}
	}
	return nil, nil
}

// Governing returns the Tenants that govern a namespace, sorted by name.
func Governing(tenants []v1alpha1.Tenant, namespace string) []*v1alpha1.Tenant {
	var all []*v1alpha1.Tenant
	for i := range tenants {
		if Governs(&tenants[i], namespace) {
			all = append(all, &tenants[i])
		}
	}
	slices.SortFunc(all, func(a, b *v1alpha1.Tenant) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Governs reports whether a Tenant governs the Federations of a namespace.
func Governs(t *v1alpha1.Tenant, namespace string) bool {
	return t.DeletionTimestamp == nil && compile(t.Spec.Federations.Namespaces, anyCharacter).match(namespace) >= 0
}

func names(tenants []*v1alpha1.Tenant) []string {
	all := make([]string, len(tenants))
	for i, t := range tenants {
		all[i] = t.Name
	}
	return all
}

// maxNamed bounds the names in a sentence.
const maxNamed = 4

func newRules(t *v1alpha1.Tenant) *Rules {
	t = t.DeepCopy()
	t.Spec.Limits = t.Spec.Limits.WithDefaults()
	selector, err := metav1.LabelSelectorAsSelector(&t.Spec.Clusters)
	if err != nil {
		selector = labels.Nothing()
	}
	return &Rules{
		Tenant: t, selector: selector, sources: compile(t.Spec.Sources, inURLSegment), namespaces: compile(t.Spec.Namespaces, anyCharacter),
		clusterScoped: compileKinds(t.Spec.Kinds.ClusterScoped), denied: compileKinds(t.Spec.Kinds.Denied),
	}
}

// ID identifies the Tenant and its version; empty for the nil Rules.
func (r *Rules) ID() string {
	if r == nil {
		return ""
	}
	return fmt.Sprintf("%s %s %d", r.Tenant.Name, r.Tenant.UID, r.Tenant.Generation)
}

// Members returns the Clusters that exist for the Tenant.
func (r *Rules) Members(all []v1alpha1.Cluster) []v1alpha1.Cluster {
	if r == nil {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(c v1alpha1.Cluster) bool { return !r.selects(c.Labels) })
}

// Fleet returns the clusters that exist for the Tenant.
func (r *Rules) Fleet(all []fleet.Cluster) []fleet.Cluster {
	if r == nil {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(c fleet.Cluster) bool { return !r.selects(c.Labels) })
}

func (r *Rules) selects(set map[string]string) bool { return r.selector.Matches(labels.Set(set)) }

// Limits returns the limits of the Tenant; the zero value, without limits, for the nil Rules.
func (r *Rules) Limits() v1alpha1.TenantLimits {
	if r == nil {
		return v1alpha1.TenantLimits{}
	}
	return r.Tenant.Spec.Limits
}

// Networks returns the private networks in which the servers of the sources may be, as CIDRs.
func (r *Rules) Networks() []string {
	if r == nil {
		return nil
	}
	return r.Tenant.Spec.Networks
}

// Budget returns the limits of the manifests of a Federation; nil, without limits, for the nil Rules.
func (r *Rules) Budget() *render.Budget {
	if r == nil {
		return nil
	}
	return render.NewBudget(int(r.Limits().Objects), r.Limits().MaxBytes())
}

// OverLimit returns the refusal of manifests that exceed the Budget. The nil Rules refuse those that exceed the default limits of a
// Tenant.
func (r *Rules) OverLimit(e *render.LimitError) Refusal {
	rule := "spec.limits." + e.Unit
	if r == nil {
		return Refusal{Rule: rule, Object: "the sources", Message: e.Error(), Fix: "split the Federation, or create a Tenant with a higher " + rule}
	}
	return r.refuse(rule, "the sources", e.Error(), fmt.Sprintf("split the Federation, or ask an administrator to raise %s of the Tenant", rule))
}

// Scripts returns the refusal of customizations whose scripts take longer than the Tenant allows. The nil Rules refuse those that take
// longer than the default limit of a Tenant.
func (r *Rules) Scripts(parts decode.Parts) []Refusal {
	if len(parts.Customizations) == 0 {
		return nil
	}
	limit := r.Limits().WithDefaults().Scripts.Duration
	objects := make([]*unstructured.Unstructured, len(parts.Objects))
	for i, o := range parts.Objects {
		objects[i] = o.Manifest.Get()
	}
	c := interpret.Measure(parts.Customizations, objects, limit)
	if c == nil {
		return nil
	}
	why := fmt.Sprintf("the scripts of the revision take longer than %s for one plan, and its scripts take most of it", limit)
	const rule, fix = "spec.limits.scripts", "make them cheaper, or "
	x := Refusal{Rule: rule, Object: c.Title(), Message: c.Title() + ": " + why, Fix: fix + "create a Tenant with a higher " + rule}
	if r != nil {
		x = r.refuse(rule, c.Title(), why, fix+"ask an administrator to raise "+rule+" of the Tenant")
	}
	x.At = c.Origin
	return []Refusal{x}
}

// refuse returns a refusal. The message continues "Tenant team-a does not allow <object>: ...".
func (r *Rules) refuse(rule, object, why, fix string) Refusal {
	return Refusal{
		Tenant: r.Tenant.Name, Rule: rule, Object: object,
		Message: fmt.Sprintf("Tenant %s does not allow %s: %s", r.Tenant.Name, object, why), Fix: fix,
	}
}

// requirePower returns the refusal of something that takes a power that the Tenant does not grant.
func (r *Rules) requirePower(p v1alpha1.Power, object, does string) Refusal {
	return r.refuse("spec.may", object, fmt.Sprintf("it %s, which requires the power %s", does, p),
		fmt.Sprintf("remove that, or ask an administrator to add %s to spec.may of the Tenant", p))
}
