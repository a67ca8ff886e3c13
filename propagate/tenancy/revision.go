package tenancy

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"sort"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/decode"
)

// Revision is a revision of a Federation with its plan. The plan is about the clusters that exist for the Tenant.
type Revision struct {
	Federation *v1alpha1.Federation
	Parts      decode.Parts
	Plan       *propagate.Plan
	// Present are the Clusters of the hub before the revision; nil without a hub.
	Present []v1alpha1.Cluster
	// AllowPrune is set if a commit of the revision lifts the prune limits.
	AllowPrune bool
	// Allowed is a plan before this one: Check looks at the objects that changed since, if that is all that differs.
	Allowed Allowed
}

// Allowed is a plan that the rules of a Tenant did not refuse. The zero value is none.
type Allowed struct {
	plan  *propagate.Plan
	rules string // their ID
}

// Allow records that Check refused nothing of a plan.
func (r *Rules) Allow(plan *propagate.Plan) Allowed { return Allowed{plan, r.ID()} }

var namespaceKind = schema.GroupKind{Kind: "Namespace"}

const deniedRule = "spec.kinds.denied"

// Check returns the refusals of a revision, sorted by their place, at most 100.
func (r *Rules) Check(v Revision) []Refusal {
	if r == nil {
		return nil
	}
	all := slices.Concat(r.clusters(v), r.federations(v.Parts), r.controls(v), r.objects(v.Plan, v.Allowed))
	if v.AllowPrune && !r.Tenant.Spec.Has(v1alpha1.AllowPrune) {
		all = append(all, r.requirePower(v1alpha1.AllowPrune, "the commit", fmt.Sprintf("has the trailer %q", v1alpha1.PruneTrailer+": "+v1alpha1.PruneAllow)))
	}
	return sorted(all)
}

// clusters checks the Clusters that Git declares and those that left Git.
func (r *Rules) clusters(v Revision) []Refusal {
	var all []Refusal
	present := map[string]v1alpha1.Cluster{}
	for _, c := range v.Present {
		present[c.Name] = c
	}
	declared := map[string]bool{}
	for _, c := range v.Parts.Clusters {
		declared[c.Name] = true
		before, exists := present[c.Name]
		for _, x := range r.cluster(c, before, exists) {
			x.At = v.Parts.Origins[c.Name]
			all = append(all, x)
		}
	}
	for _, c := range v.Present {
		if by := v.Federation.Declarer(); c.Labels[v1alpha1.SourceLabel] != by || declared[c.Name] || r.Tenant.Spec.Has(v1alpha1.DeclareClusters) {
			continue
		}
		all = append(all, r.requirePower(v1alpha1.DeclareClusters, "the removal of Cluster "+c.Name, "changes the Clusters of the hub"))
	}
	return all
}

// cluster checks one declared Cluster. before is the Cluster of the hub, if it exists there.
func (r *Rules) cluster(c, before v1alpha1.Cluster, exists bool) []Refusal {
	object := "Cluster " + c.Name
	if !r.Tenant.Spec.Has(v1alpha1.DeclareClusters) {
		return []Refusal{r.requirePower(v1alpha1.DeclareClusters, object, "declares a Cluster on the hub")}
	}
	after := maps.Clone(before.Labels)
	if after == nil {
		after = map[string]string{}
	}
	maps.Copy(after, c.Labels)
	if exists && !r.selects(before.Labels) || !r.selects(after) {
		return []Refusal{r.refuse("spec.clusters", object, "spec.clusters does not select it",
			"declare only Clusters with the labels that spec.clusters of the Tenant requires")}
	}
	var all []Refusal
	if c.Spec.Hold != nil && !r.Tenant.Spec.Has(v1alpha1.HoldClusters) {
		all = append(all, r.requirePower(v1alpha1.HoldClusters, object, "sets spec.hold"))
	}
	if len(c.Spec.Taints) > 0 && !r.Tenant.Spec.Has(v1alpha1.TaintClusters) {
		all = append(all, r.requirePower(v1alpha1.TaintClusters, object, "sets spec.taints"))
	}
	return all
}

// federations checks the Federations that Git declares.
func (r *Rules) federations(parts decode.Parts) []Refusal {
	var all []Refusal
	governed := compile(r.Tenant.Spec.Federations.Namespaces, anyCharacter)
	for _, f := range parts.Federations {
		var x Refusal
		switch {
		case !r.Tenant.Spec.Has(v1alpha1.DeclareFederations):
			x = r.requirePower(v1alpha1.DeclareFederations, f.Title(), "declares a Federation on the hub")
		case governed.match(f.Namespace) < 0:
			x = r.refuse("spec.federations.namespaces", f.Title(), "namespace "+f.Namespace+" is not one of spec.federations.namespaces",
				"declare only Federations of the namespaces that the Tenant governs")
		default:
			continue
		}
		x.At = f.Origin
		all = append(all, x)
	}
	return all
}

// controls checks the manifests that change how accord works: taint policies and customizations of kinds.
func (r *Rules) controls(v Revision) []Refusal {
	var all []Refusal
	if !r.Tenant.Spec.Has(v1alpha1.TaintClusters) {
		for i := range v.Parts.TaintPolicies {
			p := &v.Parts.TaintPolicies[i]
			x := r.requirePower(v1alpha1.TaintClusters, p.Title(), "taints clusters")
			x.At = p.Origin
			all = append(all, x)
		}
	}
	if r.Tenant.Spec.Has(v1alpha1.CustomizeKinds) {
		return all
	}
	for i := range v.Parts.Customizations {
		c := &v.Parts.Customizations[i]
		x := r.requirePower(v1alpha1.CustomizeKinds, "ResourceInterpreterCustomization "+c.Name, "changes how accord reads a kind")
		x.At = c.Origin
		all = append(all, x)
	}
	if len(v.Federation.Spec.HealthCheckExprs) > 0 {
		f := v.Federation
		all = append(all, r.requirePower(v1alpha1.CustomizeKinds, "Federation "+f.Namespace+"/"+f.Name, "has spec.healthCheckExprs"))
	}
	return all
}

// objects checks every object that a policy claims or that goes to a cluster, and that changed since an allowed plan. An override cannot
// change the kind, the namespace or the name of an object, so the decision has them as they are applied.
func (r *Rules) objects(plan *propagate.Plan, before Allowed) []Refusal {
	if plan == nil {
		return nil
	}
	var all []Refusal
	for _, id := range plan.ImpliedNamespaces() {
		if x, refused := r.object(id); refused && x.Rule == deniedRule {
			all = append(all, x) // accord would create it for an object
		}
	}
	allowed := map[scoped]bool{} // objects of one kind and namespace are refused alike, and many follow each other
	var last scoped
	overwrites := r.Tenant.Spec.Has(v1alpha1.Overwrite)
	for i := range r.changed(plan, before) {
		d := plan.Decisions[i]
		if d.Policy == nil && len(d.Chosen) == 0 {
			continue
		}
		if kind := (scoped{d.ID.GroupKind(), namespaceOf(d.ID)}); kind != last && !allowed[kind] {
			x, refused := r.object(d.ID)
			if x.At = d.Origin; refused {
				all = append(all, x)
			} else {
				allowed[kind], last = true, kind
			}
		}
		if !overwrites && plan.TakesOver(i) {
			x := r.requirePower(v1alpha1.Overwrite, d.ID.String(), "takes over existing objects (conflictResolution: Overwrite)")
			x.At = d.Origin
			all = append(all, x)
		}
	}
	return all
}

// changed returns the positions of the decisions of a plan that may be refused: all, or those since an allowed plan with the same objects.
func (r *Rules) changed(plan *propagate.Plan, before Allowed) iter.Seq[int] {
	return func(yield func(int) bool) {
		if before.rules != r.ID() || !plan.StepFrom(before.plan) {
			for i := range plan.Decisions {
				if !yield(i) {
					return
				}
			}
			return
		}
		for _, id := range plan.ChangedSince(before.plan) {
			i := sort.Search(len(plan.Decisions), func(i int) bool { return plan.Decisions[i].ID.Compare(id) >= 0 })
			if i < len(plan.Decisions) && plan.Decisions[i].ID == id && !yield(i) {
				return
			}
		}
	}
}

// scoped is a kind in a namespace.
type scoped struct {
	schema.GroupKind
	namespace string
}

// namespaceOf returns the namespace that counts: a Namespace counts as itself.
func namespaceOf(id manifest.ID) string {
	if id.GroupKind() == namespaceKind {
		return id.Name
	}
	return id.Namespace
}

// object checks the kind and the namespace of an object.
func (r *Rules) object(id manifest.ID) (Refusal, bool) {
	kind, namespace := id.GroupKind(), namespaceOf(id)
	spec := r.Tenant.Spec
	if glob := r.denied.match(kind); glob != "" {
		return r.refuse(deniedRule, id.String(), "spec.kinds.denied has "+glob, "remove the object from Git"), true
	}
	if id.Namespace == "" && r.clusterScoped.match(kind) == "" {
		return r.refuse("spec.kinds.clusterScoped", id.String(), fmt.Sprintf("its kind is cluster-scoped, and spec.kinds.clusterScoped does not have %s", kindText(kind)),
			fmt.Sprintf("remove the object from Git, or ask an administrator to add %q to spec.kinds.clusterScoped of the Tenant", kindText(kind))), true
	}
	if namespace != "" && r.namespaces.match(namespace) < 0 {
		return r.refuse("spec.namespaces", id.String(), fmt.Sprintf("namespace %s matches none of spec.namespaces (%s)", namespace, phrase.List(spec.Namespaces, maxNamed)),
			"move the object to a namespace of the Tenant, or ask an administrator to add its namespace to spec.namespaces"), true
	}
	return Refusal{}, false
}
