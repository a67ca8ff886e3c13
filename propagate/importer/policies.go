package importer

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	jsonutil "k8s.io/apimachinery/pkg/util/json"

	"github.com/accord-dev/accord/api/policy"
)

// Placement makes the policies that place objects on the clusters that have them.
type Placement struct {
	// ByKind selects all objects of a kind in a namespace if all of them are on the same clusters. Otherwise policies name each object.
	ByKind bool
	// Name returns the name of the policy for objects of these clusters.
	Name func(clusters []string) string
}

// Policies returns one policy for each namespace and set of clusters. It adopts the objects, which exist already.
func (p Placement) Policies(objects []Object) (all []*unstructured.Unstructured) {
	type group struct {
		namespace string
		clusters  []string
		selectors []any
	}
	var groups []*group
	byKey := map[string]*group{}
	whole := map[kindIn][]string{} // the clusters of a kind; nil if its objects are on different ones
	if p.ByKind {
		whole = clustersOfKinds(objects)
	}
	selected := map[kindIn]bool{}
	for _, o := range objects {
		if len(o.Clusters) == 0 {
			continue
		}
		key := o.ID.Namespace + "\x00" + strings.Join(o.Clusters, "\x00")
		g := byKey[key]
		if g == nil {
			g = &group{namespace: o.ID.Namespace, clusters: o.Clusters}
			byKey[key], groups = g, append(groups, g)
		}
		selector := map[string]any{"apiVersion": o.Manifest.GetAPIVersion(), "kind": o.ID.Kind, "name": o.ID.Name}
		if k := kindOf(o); whole[k] != nil {
			if selected[k] {
				continue
			}
			selected[k] = true
			delete(selector, "name")
		}
		g.selectors = append(g.selectors, selector)
	}
	for _, g := range groups {
		all = append(all, newPolicy("PropagationPolicy", g.namespace, p.Name(g.clusters), map[string]any{
			"resourceSelectors":  g.selectors,
			"conflictResolution": "Overwrite",
			"placement":          map[string]any{"clusterAffinity": map[string]any{"clusterNames": texts(g.clusters)}},
		}))
	}
	return all
}

// kindIn is a kind in a namespace.
type kindIn struct{ apiVersion, kind, namespace string }

func kindOf(o Object) kindIn { return kindIn{o.Manifest.GetAPIVersion(), o.ID.Kind, o.ID.Namespace} }

// clustersOfKinds returns the clusters of the kinds whose objects are all on the same ones. Cluster-scoped objects are named, because a
// policy for all of a kind would select those of other teams.
func clustersOfKinds(objects []Object) map[kindIn][]string {
	all := map[kindIn][]string{}
	for _, o := range objects {
		k := kindOf(o)
		before, seen := all[k]
		switch {
		case o.ID.Namespace == "" || len(o.Clusters) == 0 || seen && !slices.Equal(before, o.Clusters):
			all[k] = nil
		case !seen:
			all[k] = o.Clusters
		}
	}
	return all
}

// variation is an object with its overrides.
type variation struct {
	Object
	rules []policy.OverrideRule
}

// overridePolicies returns one policy for the objects of a namespace that have the same overrides.
func overridePolicies(all []variation) (policies []*unstructured.Unstructured, err error) {
	byKey := map[string]*unstructured.Unstructured{}
	for _, v := range all {
		text, err := json.Marshal(v.rules)
		if err != nil {
			return nil, fmt.Errorf("encoding the overrides of %s: %w", v.ID, err)
		}
		key := v.ID.Namespace + "\x00" + string(text)
		p := byKey[key]
		if p == nil {
			var rules []any
			if err := jsonutil.Unmarshal(text, &rules); err != nil {
				return nil, fmt.Errorf("decoding the overrides of %s: %w", v.ID, err)
			}
			p = newPolicy("OverridePolicy", v.ID.Namespace, shorten(policyNameOf(v.Object)), map[string]any{"overrideRules": rules})
			byKey[key], policies = p, append(policies, p)
		}
		spec, _ := p.Object["spec"].(map[string]any)
		selectors, _ := spec["resourceSelectors"].([]any)
		spec["resourceSelectors"] = append(selectors, map[string]any{"apiVersion": v.Manifest.GetAPIVersion(), "kind": v.ID.Kind, "name": v.ID.Name})
	}
	return policies, nil
}

// policyNameOf returns the name of the policy for one object: objects of two kinds may have the same name. The group is in the name
// because two groups may have the same kind.
func policyNameOf(o Object) string {
	name := o.ID.Name + "-" + o.ID.Kind
	if o.ID.Group != "" && !isBuiltin(o.ID.Group) {
		name += "." + o.ID.Group
	}
	return strings.NewReplacer(":", "-", "_", "-").Replace(strings.ToLower(name))
}

// newPolicy returns a policy of Karmada: that of a namespace, or the cluster-wide kind.
func newPolicy(kind, namespace, name string, spec map[string]any) *unstructured.Unstructured {
	p := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	p.SetAPIVersion("policy.karmada.io/v1alpha1")
	p.SetKind(kind)
	p.SetName(name)
	if namespace == "" {
		p.SetKind("Cluster" + kind)
	} else {
		p.SetNamespace(namespace)
	}
	return p
}

func texts(list []string) (all []any) {
	for _, text := range list {
		all = append(all, text)
	}
	return all
}

// maxName is the longest name of a policy that Karmada's labels and accord's inventories have room for.
const maxName = 63

// shorten returns a name of at most maxName characters, which is unique.
func shorten(name string) string {
	if len(name) <= maxName {
		return name
	}
	return strings.TrimRight(name[:maxName-9], "-.") + "-" + digest(name)
}

// digest returns eight characters that distinguish texts.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:4])
}
