package reconciler

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// declarer owns the fields of Clusters that come from Git. What `accord join` or a person set beside them
// (the endpoint, the Secret) stays.
const declarer = client.FieldOwner("accord-source")

// errDeclared says that two federations declare one cluster.
var errDeclared = errors.New("it is declared already by federation")

// mistaken says that err is for those who wrote the commit to correct; any other is the hub's, and is tried again.
func mistaken(err error) bool {
	return errors.Is(err, errDeclared) || apierrors.IsInvalid(err) || apierrors.IsBadRequest(err)
}

// declare makes the hub's Clusters what Git says and returns the fleet as it is afterwards. A Cluster that this
// federation declared and that left Git is removed, unless somebody else set fields of it: then only ours go. With try
// nothing is written, and the fleet is what the hub says it would be.
func (s *syncer) declare(ctx context.Context, fed *v1alpha1.Federation, declared []v1alpha1.Cluster, present []v1alpha1.Cluster, try bool) ([]v1alpha1.Cluster, error) {
	by := fed.Namespace + "." + fed.Name
	changed, fleet := false, slices.Clone(present)
	for _, c := range declared {
		i := slices.IndexFunc(present, func(p v1alpha1.Cluster) bool { return p.Name == c.Name })
		if i >= 0 && present[i].Labels[v1alpha1.SourceLabel] != "" && present[i].Labels[v1alpha1.SourceLabel] != by {
			return nil, fmt.Errorf("cluster %s: %w %s", c.Name, errDeclared, present[i].Labels[v1alpha1.SourceLabel])
		}
		u, err := declaration(c, by)
		if err != nil {
			return nil, err
		}
		after, err := s.apply(ctx, u, try)
		if err != nil {
			return nil, fmt.Errorf("cluster %s: %w", c.Name, err)
		}
		changed, fleet = true, append(without(fleet, c.Name), staying([]v1alpha1.Cluster{*after})...)
	}
	for _, p := range present {
		if p.Labels[v1alpha1.SourceLabel] != by || slices.ContainsFunc(declared, func(c v1alpha1.Cluster) bool { return c.Name == p.Name }) {
			continue
		}
		after, err := s.undeclare(ctx, p, try)
		if err != nil {
			return nil, fmt.Errorf("cluster %s left Git: %w", p.Name, err)
		}
		changed, fleet = true, without(fleet, p.Name)
		if after != nil {
			fleet = append(fleet, *after)
		}
	}
	if !changed || try {
		return byName(fleet), nil
	}
	list := &v1alpha1.ClusterList{}
	err := s.secrets.List(ctx, list) // not from the cache, which may not have seen what was just written
	return byName(staying(list.Items)), err
}

// without is the clusters but the one of a name.
func without(members []v1alpha1.Cluster, name string) []v1alpha1.Cluster {
	return slices.DeleteFunc(members, func(c v1alpha1.Cluster) bool { return c.Name == name })
}

// apply returns the Cluster as it is afterwards, or would be.
func (s *syncer) apply(ctx context.Context, u *unstructured.Unstructured, try bool) (*v1alpha1.Cluster, error) {
	options := []client.ApplyOption{declarer, client.ForceOwnership}
	if try {
		options = append(options, client.DryRunAll)
	}
	if err := s.Client.Apply(ctx, client.ApplyConfigurationFromUnstructured(u), options...); err != nil {
		return nil, err
	}
	after := &v1alpha1.Cluster{}
	return after, runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, after)
}

// declaration is what Git says of a cluster, as an apply configuration.
func declaration(c v1alpha1.Cluster, by string) (*unstructured.Unstructured, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&c)
	if err != nil {
		return nil, err
	}
	spec, _ := content["spec"].(map[string]any)
	u := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	u.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("Cluster"))
	u.SetName(c.Name)
	labels := map[string]string{v1alpha1.SourceLabel: by}
	for k, v := range c.Labels {
		labels[k] = v
	}
	u.SetLabels(labels)
	return u, nil
}

// undeclare removes a cluster that only Git knew, and takes back what Git said of one that others know too, which it
// returns as it is then. With try nothing is written.
func (s *syncer) undeclare(ctx context.Context, c v1alpha1.Cluster, try bool) (*v1alpha1.Cluster, error) {
	shared := slices.ContainsFunc(c.ManagedFields, func(m metav1.ManagedFieldsEntry) bool {
		return m.Manager != string(declarer) && m.Subresource == "" && m.FieldsV1 != nil && strings.Contains(string(m.FieldsV1.Raw), `"f:spec"`)
	})
	switch {
	case !shared && try:
		return nil, nil
	case !shared:
		return nil, client.IgnoreNotFound(s.Delete(ctx, &c))
	}
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("Cluster"))
	u.SetName(c.Name)
	return s.apply(ctx, u, try)
}
