package cluster

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/discovery"
	"github.com/accord-dev/accord/clusters/watch"
	"github.com/accord-dev/accord/render/unrender"
)

// policyGroup is the API group of policies. They count for the whole Federation, whatever their labels.
const policyGroup = "policy.karmada.io"

// DefaultKinds are read if a Selection names no kinds: "Kind" of the core group, or "group/Kind".
var DefaultKinds = []string{
	"ConfigMap", "PersistentVolumeClaim", "Service", "ServiceAccount", "apps/DaemonSet", "apps/Deployment", "apps/StatefulSet",
	"autoscaling/HorizontalPodAutoscaler", "batch/CronJob", "networking.k8s.io/Ingress", "networking.k8s.io/NetworkPolicy",
	"policy/PodDisruptionBudget", "rbac.authorization.k8s.io/Role", "rbac.authorization.k8s.io/RoleBinding",
}

// Selection selects objects of a cluster. It does not change.
type Selection struct {
	namespaces []string // sorted; empty: all
	kinds      []string
	labels     string
	exclude    exclusion
	// allowed returns the refusal of a kind; nil allows all.
	allowed func(kind schema.GroupKind, namespaced bool) error
}

type exclusion struct {
	namespaces []*regexp.Regexp
	names      []string // the namespaces without "*", which the API server leaves out
	kinds      []string
	labels     labels.Selector
}

// NewSelection returns the selection of a source.
func NewSelection(s *v1alpha1.ClusterSource) (Selection, error) {
	x := Selection{namespaces: slices.Compact(slices.Sorted(slices.Values(s.Namespaces))), kinds: s.Kinds}
	if len(x.kinds) == 0 {
		x.kinds = DefaultKinds
	}
	selected, err := selectorOf(s.LabelSelector)
	if err != nil {
		return Selection{}, fmt.Errorf("labelSelector: %w", err)
	}
	x.labels = selected.String()
	exclude := cmp.Or(s.Exclude, &v1alpha1.ClusterExclusion{})
	x.exclude.kinds, x.exclude.labels = exclude.Kinds, labels.Nothing()
	if exclude.LabelSelector != nil {
		if x.exclude.labels, err = selectorOf(exclude.LabelSelector); err != nil {
			return Selection{}, fmt.Errorf("exclude.labelSelector: %w", err)
		}
	}
	for _, glob := range slices.Concat(unrender.SystemNamespaces(), exclude.Namespaces) {
		pattern := strings.ReplaceAll(regexp.QuoteMeta(glob), `\*`, ".*")
		x.exclude.namespaces = append(x.exclude.namespaces, regexp.MustCompile("^"+pattern+"$"))
		if !strings.Contains(glob, "*") {
			x.exclude.names = append(x.exclude.names, glob)
		}
	}
	return x, nil
}

// Within returns the selection with a limit: a selected kind for which allowed returns an error is not read, and nothing else is.
func (s Selection) Within(allowed func(kind schema.GroupKind, namespaced bool) error) Selection {
	s.allowed = allowed
	return s
}

// Scope is a set of kinds that one watch reads.
type Scope struct {
	watch.Scope
	Kinds     []schema.GroupVersionKind
	Resources []schema.GroupResource // of the kinds, in their order
}

// Scopes returns the watches of the selection in a cluster with some APIs. A selected kind that the cluster does not serve is an error.
func (s Selection) Scopes(apis discovery.APIs) ([]Scope, error) {
	served, err := s.served(apis)
	if err != nil {
		return nil, err
	}
	namespaces := s.namespaces
	if len(namespaces) == 0 {
		namespaces = []string{""}
	}
	var fields []string
	for _, name := range s.exclude.names {
		fields = append(fields, "metadata.namespace!="+name)
	}
	var all []Scope
	add := func(scope watch.Scope, has func(servedKind) bool) {
		x := Scope{Scope: scope}
		x.Required = true
		for _, k := range served {
			if has(k) {
				x.Kinds, x.Resources = append(x.Kinds, k.kind), append(x.Resources, k.resource)
			}
		}
		if len(x.Kinds) > 0 {
			all = append(all, x)
		}
	}
	labelled := func(k servedKind) bool { return s.labels == "" || k.kind.Group != policyGroup }
	for _, ns := range namespaces {
		scope := watch.Scope{Namespace: ns}
		if ns == "" {
			scope.Fields = strings.Join(fields, ",")
		}
		add(scope, func(k servedKind) bool { return k.namespaced && !labelled(k) })
		scope.Labels = s.labels
		add(scope, func(k servedKind) bool { return k.namespaced && labelled(k) })
	}
	add(watch.Scope{}, func(k servedKind) bool { return !k.namespaced && !labelled(k) })
	add(watch.Scope{Labels: s.labels}, func(k servedKind) bool { return !k.namespaced && labelled(k) })
	return all, nil
}

// servedKind is a selected kind in the version that is read.
type servedKind struct {
	kind       schema.GroupVersionKind
	resource   schema.GroupResource
	namespaced bool
}

// served returns the selected kinds of a cluster, sorted.
func (s Selection) served(apis discovery.APIs) ([]servedKind, error) {
	best := map[schema.GroupKind]servedKind{}
	for _, e := range apis.Enablements {
		gv, err := schema.ParseGroupVersion(e.GroupVersion)
		if err != nil {
			return nil, fmt.Errorf("discovering APIs: %w", err)
		}
		for _, r := range e.Resources {
			k := servedKind{gv.WithKind(r.Kind), schema.GroupResource{Group: gv.Group, Resource: r.Name}, r.Scope == v1alpha1.ScopeNamespaced}
			if known, is := best[k.kind.GroupKind()]; is && version.CompareKubeAwareVersionStrings(known.kind.Version, gv.Version) > 0 {
				continue
			}
			best[k.kind.GroupKind()] = k
		}
	}
	var wrong []error
	for _, pattern := range s.kinds {
		found := false
		for gk := range best {
			found = found || matches(pattern, gk)
		}
		if !found {
			wrong = append(wrong, notServed(pattern, apis.Unavailable))
		}
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, err
	}
	var all []servedKind
	for gk, k := range best {
		if !s.hasKind(gk) {
			continue
		}
		all = append(all, k)
		if s.allowed != nil {
			wrong = append(wrong, s.allowed(gk, k.namespaced))
		}
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b servedKind) int { return strings.Compare(a.kind.String(), b.kind.String()) })
	return all, nil
}

func notServed(pattern string, unavailable []string) error {
	group, _, _ := strings.Cut(pattern, "/")
	for _, gv := range unavailable {
		if strings.HasPrefix(gv, group+"/") {
			return fmt.Errorf("kinds: the API server of %s does not answer, so %s cannot be read", gv, pattern)
		}
	}
	return fmt.Errorf("kinds: the cluster does not serve %s: remove it from kinds, or install its CustomResourceDefinition there", pattern)
}

// matches reports whether a pattern selects a kind. "group/*" selects every kind of a group.
func matches(pattern string, gk schema.GroupKind) bool {
	group, kind, found := strings.Cut(pattern, "/")
	if !found {
		group, kind = "", pattern
	}
	return group == gk.Group && (kind == gk.Kind || kind == "*")
}

// hasKind reports whether the objects of a kind are read: not those that exist only because of others.
func (s Selection) hasKind(gk schema.GroupKind) bool {
	matching := func(pattern string) bool { return matches(pattern, gk) }
	return slices.ContainsFunc(s.kinds, matching) && !slices.ContainsFunc(s.exclude.kinds, matching) && unrender.KindLeftOut(gk) == ""
}

// has reports whether an object of a selected kind is in the selection.
func (s Selection) has(u *unstructured.Unstructured) bool {
	ns := u.GetNamespace()
	if u.GetKind() == "Namespace" && u.GroupVersionKind().Group == "" {
		ns = u.GetName()
		if len(s.namespaces) > 0 && !slices.Contains(s.namespaces, ns) {
			return false
		}
	}
	return !slices.ContainsFunc(s.exclude.namespaces, func(r *regexp.Regexp) bool { return r.MatchString(ns) }) &&
		!s.exclude.labels.Matches(labels.Set(u.GetLabels())) && unrender.LeftOut(u) == ""
}

func selectorOf(s *metav1.LabelSelector) (labels.Selector, error) {
	if s == nil {
		return labels.Everything(), nil
	}
	return metav1.LabelSelectorAsSelector(s)
}
