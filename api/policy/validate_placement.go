package policy

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/accord-dev/accord/api/manifest"
)

const placement = "spec.placement"

// validate applies the rules of Karmada §1.3.
func (p Placement) validate(doc *manifest.Doc) {
	if p.ClusterAffinity != nil && p.ClusterAffinities != nil {
		doc.Errorf(placement+".clusterAffinities", "%s has clusterAffinity and clusterAffinities, expected one of them", placement)
	}
	p.ClusterAffinity.validate(doc, placement+".clusterAffinity")
	p.validateTerms(doc)
	for i, t := range p.ClusterTolerations {
		if t.Operator != "" && t.Operator != corev1.TolerationOpEqual && t.Operator != corev1.TolerationOpExists {
			field := fmt.Sprintf("%s.clusterTolerations[%d].operator", placement, i)
			doc.Errorf(field, "%s is %q, expected Equal or Exists", field, t.Operator)
		}
	}
	p.validateSpread(doc)
	p.ReplicaScheduling.validate(doc)
	p.WorkloadAffinity.validate(doc)
}

// validate checks the parts of a ClusterAffinity that Karmada checks. An invalid label selector matches nothing in
// Karmada; accord reports it as the reason for each cluster.
func (a *ClusterAffinity) validate(doc *manifest.Doc, path string) {
	if a == nil || a.FieldSelector == nil {
		return
	}
	for i, e := range a.FieldSelector.MatchExpressions {
		field := fmt.Sprintf("%s.fieldSelector.matchExpressions[%d]", path, i)
		doc.Require(field+".key", e.Key != "")
		doc.OneOf(field+".key", e.Key, "provider", "region", "zone")
		doc.Require(field+".operator", e.Operator != "")
		doc.OneOf(field+".operator", string(e.Operator), "In", "NotIn")
	}
}

func (p Placement) validateTerms(doc *manifest.Doc) {
	seen := map[string]bool{}
	for i, term := range p.ClusterAffinities {
		field := fmt.Sprintf("%s.clusterAffinities[%d]", placement, i)
		checkAffinityName(doc, field, term.AffinityName, seen)
		term.ClusterAffinity.validate(doc, field)
		if len(term.OverflowAffinities) == 0 {
			continue
		}
		overflow := field + ".overflowAffinities"
		if !p.ReplicaScheduling.dynamic() {
			doc.Errorf(overflow, "%s needs replicaScheduling Divided with Aggregated or dynamicWeight", overflow)
		}
		if a := term.ClusterAffinity; a.LabelSelector == nil && a.FieldSelector == nil && len(a.ClusterNames) == 0 && len(a.Exclude) == 0 {
			doc.Errorf(overflow, "%s needs a primary affinity in %s that is not empty", overflow, field)
		}
		names := map[string]bool{term.AffinityName: true}
		for j, o := range term.OverflowAffinities {
			tier := fmt.Sprintf("%s[%d]", overflow, j)
			checkAffinityName(doc, tier, o.AffinityName, names)
			o.ClusterAffinity.validate(doc, tier)
		}
	}
}

func checkAffinityName(doc *manifest.Doc, in, name string, seen map[string]bool) {
	field := in + ".affinityName"
	doc.Require(field, name != "")
	if len(name) > 32 {
		doc.Errorf(field, "%s has %d characters, expected at most 32", field, len(name))
	}
	if problems := validation.IsQualifiedName(name); name != "" && len(problems) > 0 {
		doc.Errorf(field, "%s is %q: %s", field, name, strings.Join(problems, "; "))
	}
	if seen[name] {
		doc.Errorf(field, "%s is %q, which is a duplicate", field, name)
	}
	seen[name] = true
}

func (p Placement) validateSpread(doc *manifest.Doc) {
	seen := map[string]bool{}
	for i, c := range p.SpreadConstraints {
		field := fmt.Sprintf("%s.spreadConstraints[%d]", placement, i)
		c.validate(doc, field)
		if seen[c.SpreadByField] {
			doc.Errorf(field+".spreadByField", "%s.spreadByField is %q, which is a duplicate", field, c.SpreadByField)
		}
		if slices.Contains(groups, c.SpreadByField) {
			seen[c.SpreadByField] = true
		}
	}
	if len(seen) > 0 && !seen["cluster"] {
		doc.Errorf(placement+".spreadConstraints", "%s.spreadConstraints needs an entry with spreadByField: cluster", placement)
	}
}

// groups lists the values of spreadByField.
var groups = []string{"cluster", "region", "zone", "provider"}

func (c SpreadConstraint) validate(doc *manifest.Doc, field string) {
	doc.OneOf(field+".spreadByField", c.SpreadByField, groups...)
	if c.SpreadByField != "" && c.SpreadByLabel != "" {
		doc.Errorf(field, "%s has spreadByField and spreadByLabel, expected one of them", field)
	}
	if c.MinGroups < 0 {
		doc.Errorf(field+".minGroups", "%s.minGroups is %d, expected 0 or more", field, c.MinGroups)
	}
	if c.MaxGroups < 0 || c.MaxGroups > 0 && c.MaxGroups < c.MinGroups {
		doc.Errorf(field+".maxGroups", "%s.maxGroups is %d, expected at least minGroups (%d)", field, c.MaxGroups, c.MinGroups)
	}
}

// dynamic reports whether shares follow the free capacity of clusters.
func (r *ReplicaScheduling) dynamic() bool {
	if r == nil || r.ReplicaSchedulingType != Divided {
		return false
	}
	return r.ReplicaDivisionPreference == Aggregated || r.WeightPreference != nil && r.WeightPreference.DynamicWeight != ""
}

func (r *ReplicaScheduling) validate(doc *manifest.Doc) {
	if r == nil {
		return
	}
	const field = placement + ".replicaScheduling"
	doc.OneOf(field+".replicaSchedulingType", r.ReplicaSchedulingType, Duplicated, Divided)
	doc.OneOf(field+".replicaDivisionPreference", r.ReplicaDivisionPreference, Aggregated, Weighted)
	if r.WeightPreference == nil {
		return
	}
	doc.OneOf(field+".weightPreference.dynamicWeight", r.WeightPreference.DynamicWeight, "AvailableReplicas")
	for i, w := range r.WeightPreference.StaticWeightList {
		entry := fmt.Sprintf("%s.weightPreference.staticWeightList[%d]", field, i)
		doc.Require(entry+".targetCluster", doc.Value(entry+".targetCluster") != nil)
		doc.Require(entry+".weight", doc.Value(entry+".weight") != nil)
		if w.Weight < 1 {
			doc.Errorf(entry+".weight", "%s.weight is %d, expected 1 or more", entry, w.Weight)
		}
	}
}

func (w *WorkloadAffinity) validate(doc *manifest.Doc) {
	if w == nil {
		return
	}
	const field = placement + ".workloadAffinity"
	w.Affinity.validate(doc, field+".affinity")
	w.AntiAffinity.validate(doc, field+".antiAffinity")
	if w.Affinity != nil && w.AntiAffinity != nil && w.Affinity.GroupByLabelKey == w.AntiAffinity.GroupByLabelKey {
		doc.Errorf(field+".antiAffinity.groupByLabelKey", "%s.antiAffinity.groupByLabelKey is %q, which is the key of affinity",
			field, w.AntiAffinity.GroupByLabelKey)
	}
}

func (g *GroupBy) validate(doc *manifest.Doc, path string) {
	if g == nil {
		return
	}
	field := path + ".groupByLabelKey"
	doc.Require(field, g.GroupByLabelKey != "")
	if problems := validation.IsQualifiedName(g.GroupByLabelKey); g.GroupByLabelKey != "" && len(problems) > 0 {
		doc.Errorf(field, "%s is %q: %s", field, g.GroupByLabelKey, strings.Join(problems, "; "))
	}
}
