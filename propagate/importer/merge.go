package importer

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/render/override"
	"github.com/accord-dev/accord/render/unrender"
)

// variant is one manifest, and the clusters that have it.
type variant struct {
	manifest *unstructured.Unstructured
	clusters []string
}

// mergedObject is an object of all clusters: the manifest, and the overrides that make the other variants of it.
type mergedObject struct {
	Object
	rules   []policy.OverrideRule
	refused []Refusal
}

// merge returns the most frequent variant of an object as its manifest, and overrides for the others.
func (in Input) merge(id manifest.ID, all []found) mergedObject {
	variants := in.variants(all)
	base := variants[0]
	for _, v := range variants[1:] {
		if len(v.clusters) > len(base.clusters) {
			base = v
		}
	}
	m := mergedObject{Object: Object{ID: id, Manifest: base.manifest}}
	placed := map[string]bool{}
	for _, v := range variants {
		refusal := ""
		if v.manifest != base.manifest {
			var rule policy.OverrideRule
			if rule, refusal = in.rule(base.manifest, v); refusal == "" {
				m.rules, m.Varies = append(m.rules, rule), true
			}
		}
		for _, c := range v.clusters {
			if placed[c] = refusal == ""; refusal != "" {
				m.refused = append(m.refused, Refusal{id, c, refusal})
			}
		}
	}
	for _, c := range in.Clusters {
		if placed[c.Name] {
			m.Clusters = append(m.Clusters, c.Name)
		}
	}
	return m
}

// variants returns the different manifests of an object, without defaults. A field that users wrote for one cluster stays for all,
// because its absence would look like a difference.
func (in Input) variants(all []found) (variants []variant) {
	var written unrender.Written
	for _, f := range all {
		written = written.Union(f.written)
	}
	for i, f := range all {
		var m *unstructured.Unstructured
		if i > 0 && same(all[0].manifest, f.manifest) {
			m = variants[0].manifest // most objects are the same on all clusters
		} else {
			m = in.Clusters[f.cluster].withoutDefaults(f.manifest, written)
		}
		name := in.Clusters[f.cluster].Name
		if at := slices.IndexFunc(variants, func(v variant) bool { return same(v.manifest, m) }); at >= 0 {
			variants[at].clusters = append(variants[at].clusters, name)
		} else {
			variants = append(variants, variant{m, []string{name}})
		}
	}
	return variants
}

// rule returns the override that turns the manifest into a variant, or the reason why there is none. Applying it is the proof.
func (in Input) rule(base *unstructured.Unstructured, v variant) (policy.OverrideRule, string) {
	switch {
	case !in.Policies:
		return policy.OverrideRule{}, "it differs, and only policies express differences: import with --policy"
	case base.GetAPIVersion() != v.manifest.GetAPIVersion():
		return policy.OverrideRule{}, fmt.Sprintf("its version is %s there and %s in the manifest, and no override changes a version",
			v.manifest.GetAPIVersion(), base.GetAPIVersion())
	}
	rule := policy.OverrideRule{
		TargetCluster: &policy.ClusterAffinity{ClusterNames: v.clusters},
		Overriders:    override.Between(base, v.manifest),
	}
	o := &policy.Override{Spec: policy.OverrideSpec{OverrideRules: []policy.OverrideRule{rule}}}
	o.Namespace = base.GetNamespace()
	result := base.DeepCopy()
	if _, err := override.Apply(result, fleet.Cluster{Name: v.clusters[0]}, []*policy.Override{o}); err != nil {
		return policy.OverrideRule{}, fmt.Sprintf("no override makes it: %v", err)
	}
	dropEmptyMetadata(result)
	if !same(result, v.manifest) {
		return policy.OverrideRule{}, "overrides make another object of the manifest"
	}
	return rule, ""
}

// dropEmptyMetadata removes the maps that an override has emptied.
func dropEmptyMetadata(u *unstructured.Unstructured) {
	metadata, _ := u.Object["metadata"].(map[string]any)
	for _, field := range []string{"labels", "annotations"} {
		if m, ok := metadata[field].(map[string]any); ok && len(m) == 0 {
			delete(metadata, field)
		}
	}
}
