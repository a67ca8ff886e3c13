// Package importer turns the live objects of clusters into manifests for Git: objects that are equal on all clusters, OverridePolicies for
// the differences, and policies that place every object on the clusters that have it.
package importer

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate/autoscaler"
	"github.com/accord-dev/accord/propagate/concurrent"
	"github.com/accord-dev/accord/render/unrender"
)

// Cluster is the live objects of one cluster.
type Cluster struct {
	Name    string
	Objects []*unstructured.Unstructured
	// Defaults returns the defaults of a kind on this cluster; nil if they are unknown.
	Defaults func(schema.GroupVersionKind) *unrender.Defaulter
}

// Input is everything that New decides from.
type Input struct {
	Clusters []Cluster // if two versions of an object are equally frequent, the one of the earlier cluster is the manifest
	Policies bool      // place the objects; without policies a difference between clusters cannot be expressed
	Secrets  bool      // copy Secrets in plain text
}

// Result is the content of the directory, and everything that is not in it.
type Result struct {
	Objects  []Object                     // by ID
	Policies []*unstructured.Unstructured // by namespace, kind and name
	LeftOut  []LeftOut                    // by ID, then in the order of the clusters
	Secrets  []Secret                     // by ID
	Refused  []Refusal                    // by ID
}

// Object is one manifest.
type Object struct {
	ID       manifest.ID
	Manifest *unstructured.Unstructured
	Clusters []string // that the policies place it on, in the order of the input
	Varies   bool     // an OverridePolicy changes it on some of the clusters
}

// LeftOut is a live object that does not belong into Git.
type LeftOut struct {
	Cluster string
	ID      manifest.ID
	Reason  string
}

// Secret is a Secret whose values are not in the directory.
type Secret struct {
	ID       manifest.ID
	Clusters []string
}

// Refusal is a difference between clusters that no override can express. The object is not placed on the cluster.
type Refusal struct {
	ID      manifest.ID
	Cluster string
	Reason  string
}

// found is one object of one cluster.
type found struct {
	cluster  int
	manifest *unstructured.Unstructured // with defaults
	written  unrender.Written
}

// New decides the content of the directory.
func New(in Input) (*Result, error) {
	r := &Result{}
	all, secrets := map[manifest.ID][]found{}, map[manifest.ID][]string{}
	for i, c := range in.Clusters {
		scaled := scaledObjects(c)
		for _, u := range c.Objects {
			id := manifest.IDOf(u)
			if reason := unrender.LeftOut(u); reason != "" {
				r.LeftOut = append(r.LeftOut, LeftOut{c.Name, id, reason})
			} else if id.IsSecret() && !in.Secrets {
				secrets[id] = append(secrets[id], c.Name)
			} else {
				all[id] = append(all[id], found{i, manifestOf(u, scaled[id]), unrender.WrittenIn(u)})
			}
		}
	}
	for _, id := range slices.SortedFunc(maps.Keys(secrets), manifest.ID.Compare) {
		r.Secrets = append(r.Secrets, Secret{id, secrets[id]})
	}
	ids := slices.SortedFunc(maps.Keys(all), manifest.ID.Compare)
	merged := make([]mergedObject, len(ids))
	concurrent.Do(len(ids), func(i int) { merged[i] = in.merge(ids[i], all[ids[i]]) })
	var overrides []variation
	for _, m := range merged {
		r.Objects = append(r.Objects, m.Object)
		r.Refused = append(r.Refused, m.refused...)
		if len(m.rules) > 0 {
			overrides = append(overrides, variation{m.Object, m.rules})
		}
	}
	slices.SortStableFunc(r.LeftOut, func(a, b LeftOut) int { return a.ID.Compare(b.ID) })
	if in.Policies {
		policies, err := overridePolicies(overrides)
		if err != nil {
			return nil, err
		}
		r.Policies = append(Placement{ByKind: true, Name: in.policyName}.Policies(r.Objects), policies...)
		slices.SortFunc(r.Policies, func(a, b *unstructured.Unstructured) int {
			return cmp.Or(cmp.Compare(a.GetNamespace(), b.GetNamespace()), cmp.Compare(a.GetKind(), b.GetKind()), cmp.Compare(a.GetName(), b.GetName()))
		})
	}
	return r, nil
}

// scaledObjects returns the workloads that autoscalers of a cluster scale, also the autoscalers that other programs made.
func scaledObjects(c Cluster) map[manifest.ID]bool {
	scaled := map[manifest.ID]bool{}
	for _, u := range c.Objects {
		if id := manifest.IDOf(u); autoscaler.Is(id) {
			scaled[autoscaler.Target(id, u)] = true
		}
	}
	return scaled
}

// manifestOf returns the manifest of a live object, with defaults.
func manifestOf(live *unstructured.Unstructured, scaled bool) *unstructured.Unstructured {
	m := unrender.Manifest(live)
	if scaled {
		unstructured.RemoveNestedField(m.Object, "spec", "replicas") // the autoscaler owns them
	}
	return m
}

// policyName returns the name of the policy that places objects on these clusters.
func (in Input) policyName(clusters []string) string {
	if len(clusters) == len(in.Clusters) {
		return "imported"
	}
	return shorten("imported-" + strings.Join(clusters, "-"))
}

// withoutDefaults returns the manifest of an object without the defaults of its cluster.
func (c Cluster) withoutDefaults(m *unstructured.Unstructured, written unrender.Written) *unstructured.Unstructured {
	d := c.defaulter(m)
	if d == nil {
		return m
	}
	object, err := unrender.WithoutDefaults(m.Object, written, *d)
	if err != nil {
		return m // another version of Kubernetes than the cluster's has other types: the defaults stay
	}
	return &unstructured.Unstructured{Object: object}
}

func (c Cluster) defaulter(u *unstructured.Unstructured) *unrender.Defaulter {
	if c.Defaults == nil {
		return nil
	}
	return c.Defaults(u.GroupVersionKind())
}

// same reports whether two manifests are the same.
func same(a, b *unstructured.Unstructured) bool { return reflect.DeepEqual(a.Object, b.Object) }

// Shorten removes the content of a live object that does not belong into Git: New needs only the reason.
func Shorten(u *unstructured.Unstructured) {
	id := manifest.IDOf(u)
	if unrender.LeftOut(u) == "" || autoscaler.Is(id) {
		return
	}
	for name, value := range u.Object {
		switch {
		case name == "apiVersion" || name == "kind" || name == "metadata" || name == "type":
		case name == "status" && id.Kind == "Job":
			conditions, _ := value.(map[string]any)
			u.Object[name] = map[string]any{"conditions": conditions["conditions"]}
		default:
			delete(u.Object, name)
		}
	}
	unstructured.RemoveNestedField(u.Object, "metadata", "managedFields")
}
