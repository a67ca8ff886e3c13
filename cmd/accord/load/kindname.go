package load

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/render"
)

// kindNames maps a word to kinds, as kubectl does: "deploy", "deployment", "deployments", "deployment.apps",
// "deployments.v1.apps", in any case.
type kindNames map[string][]schema.GroupKind

// shortKinds returns the short names of the built-in kinds.
func shortKinds() map[schema.GroupKind][]string {
	return map[schema.GroupKind][]string{
		{Kind: "ConfigMap"}:             {"cm"},
		{Kind: "Endpoints"}:             {"ep"},
		{Kind: "Event"}:                 {"ev"},
		{Kind: "LimitRange"}:            {"limits"},
		{Kind: "Namespace"}:             {"ns"},
		{Kind: "Node"}:                  {"no"},
		{Kind: "PersistentVolume"}:      {"pv"},
		{Kind: "PersistentVolumeClaim"}: {"pvc"},
		{Kind: "Pod"}:                   {"po"},
		{Kind: "ReplicationController"}: {"rc"},
		{Kind: "ResourceQuota"}:         {"quota"},
		{Kind: "Secret"}:                nil,
		{Kind: "Service"}:               {"svc"},
		{Kind: "ServiceAccount"}:        {"sa"},
		{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}: {"crd", "crds"},
		{Group: "apps", Kind: "DaemonSet"}:                                {"ds"},
		{Group: "apps", Kind: "Deployment"}:                               {"deploy"},
		{Group: "apps", Kind: "ReplicaSet"}:                               {"rs"},
		{Group: "apps", Kind: "StatefulSet"}:                              {"sts"},
		{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"}:           {"hpa"},
		{Group: "batch", Kind: "CronJob"}:                                 {"cj"},
		{Group: "batch", Kind: "Job"}:                                     nil,
		{Group: "networking.k8s.io", Kind: "Ingress"}:                     {"ing"},
		{Group: "networking.k8s.io", Kind: "NetworkPolicy"}:               {"netpol"},
		{Group: "policy", Kind: "PodDisruptionBudget"}:                    {"pdb"},
		{Group: "rbac.authorization.k8s.io", Kind: "ClusterRole"}:         nil,
		{Group: "rbac.authorization.k8s.io", Kind: "Role"}:                nil,
		{Group: "scheduling.k8s.io", Kind: "PriorityClass"}:               {"pc"},
		{Group: "storage.k8s.io", Kind: "StorageClass"}:                   {"sc"},
	}
}

// newKindNames returns the words for the built-in kinds, the kinds of the objects, and the kinds that their
// CustomResourceDefinitions define.
func newKindNames(objects []render.Object) kindNames {
	names := kindNames{}
	for gk, short := range shortKinds() {
		names.add(gk, "v1", short...)
	}
	for _, o := range objects {
		gvk := o.Manifest.Get().GroupVersionKind()
		names.add(gvk.GroupKind(), gvk.Version)
		if gvk.Kind == "CustomResourceDefinition" {
			names.define(o.Manifest.Get())
		}
	}
	return names
}

// add adds the usual words of a kind, and others.
func (k kindNames) add(gk schema.GroupKind, version string, words ...string) {
	plural, singular := meta.UnsafeGuessKindToResource(gk.WithVersion(version))
	for _, word := range append([]string{singular.Resource, plural.Resource}, words...) {
		word = strings.ToLower(word)
		for _, form := range []string{word, word + "." + gk.Group, word + "." + version + "." + gk.Group} {
			k.addWord(form, gk) // a word of the core group ends with a dot: "services.v1."
		}
	}
}

func (k kindNames) addWord(word string, gk schema.GroupKind) {
	if !slices.Contains(k[word], gk) {
		k[word] = append(k[word], gk)
	}
}

// define adds the kind of a CustomResourceDefinition.
func (k kindNames) define(crd *unstructured.Unstructured) {
	group, _, _ := unstructured.NestedString(crd.Object, "spec", "group")
	kind, _, _ := unstructured.NestedString(crd.Object, "spec", "names", "kind")
	if kind == "" {
		return // the API server will refuse it
	}
	words, _, _ := unstructured.NestedStringSlice(crd.Object, "spec", "names", "shortNames")
	for _, field := range []string{"singular", "plural"} {
		if word, _, _ := unstructured.NestedString(crd.Object, "spec", "names", field); word != "" {
			words = append(words, word)
		}
	}
	k.add(schema.GroupKind{Group: group, Kind: kind}, "v1", words...)
}

// lookup returns the kinds of a word. If there are none, near is the closest word.
func (k kindNames) lookup(word string) (kinds []schema.GroupKind, near string) {
	if kinds = k[strings.ToLower(word)]; len(kinds) > 0 {
		return kinds, ""
	}
	plain := slices.DeleteFunc(slices.Sorted(maps.Keys(k)), func(w string) bool { return strings.Contains(w, ".") })
	if singular := manifest.Nearest(word, slices.DeleteFunc(slices.Clone(plain), func(w string) bool { return strings.HasSuffix(w, "s") })); singular != "" {
		return nil, singular
	}
	return nil, manifest.Nearest(word, plain)
}
