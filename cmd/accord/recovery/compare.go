package recovery

import (
	"context"
	"fmt"
	"slices"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/clusters/defaulting"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/importer"
	"github.com/accord-dev/accord/render/unrender"
)

// pageSize is the number of objects of one request.
const pageSize = 500

// rendered returns the objects of a plan for one cluster.
func rendered(plan propagate.ClusterPlan) ([]*unstructured.Unstructured, error) {
	all := make([]*unstructured.Unstructured, len(plan.Objects))
	for i, placed := range plan.Objects {
		u := &unstructured.Unstructured{}
		if err := utiljson.Unmarshal(placed.Body.Bytes(), &u.Object); err != nil {
			return nil, fmt.Errorf("reading %s as it was rendered: %w", placed.ID, err)
		}
		all[i] = u
	}
	return all, nil
}

// liveObjects reads the kinds and namespaces of some objects from a cluster. A kind that the cluster does not serve has no objects.
func liveObjects(ctx context.Context, m *clusters.Member, wanted []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	type place struct {
		kind      schema.GroupVersionKind
		namespace string
	}
	seen := map[place]bool{}
	var all []*unstructured.Unstructured
	for _, u := range wanted {
		at := place{u.GroupVersionKind(), u.GetNamespace()}
		if seen[at] {
			continue
		}
		seen[at] = true
		found, err := list(ctx, m, at.kind, at.namespace)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// list reads all objects of a kind in a namespace; in all of them, or of a kind without namespaces, if it is empty.
func list(ctx context.Context, m *clusters.Member, kind schema.GroupVersionKind, namespace string) (all []*unstructured.Unstructured, err error) {
	mapping, err := m.Kinds.Mapping(kind)
	if apimeta.IsNoMatchError(err) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("cluster %s: %w", m.Name, err)
	}
	o := metav1.ListOptions{Limit: pageSize}
	for {
		page, err := m.Objects.Resource(mapping.Resource).Namespace(namespace).List(ctx, o)
		if err != nil {
			return nil, fmt.Errorf("cluster %s: %w", m.Name, m.Explain(err))
		}
		for i := range page.Items {
			all = append(all, &page.Items[i])
		}
		if o.Continue = page.GetContinue(); o.Continue == "" {
			return all, nil
		}
	}
}

// compare compares a plan of a cluster with its live objects.
func compare(ctx context.Context, m *clusters.Member, plan propagate.ClusterPlan) ([]importer.Verdict, error) {
	wanted, err := rendered(plan)
	if err != nil {
		return nil, err
	}
	live, err := liveObjects(ctx, m, wanted)
	if err != nil {
		return nil, err
	}
	kinds, err := defaulting.NewKinds()
	if err != nil {
		return nil, err
	}
	c := importer.Cluster{Name: m.Name, Objects: live, Defaults: func(gvk schema.GroupVersionKind) *unrender.Defaulter {
		return (*unrender.Defaulter)(kinds.Of(gvk))
	}}
	return slices.DeleteFunc(c.CompareAll(wanted), func(v importer.Verdict) bool { return v.ID.IsSecret() }), nil
}

// differs reports whether a delivery would change an object.
func differs(v importer.Verdict) bool { return v.Missing || len(v.Changes) > 0 }
