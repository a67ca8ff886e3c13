package view

import (
	"net/url"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// clean removes the fields of an object of the hub that readers of a listing must not see or do not need: field owners, credentials of
// the proxies of Clusters, and digests of Secrets, which would help to guess values.
func clean(object any) {
	o, ok := object.(map[string]any)
	if !ok {
		return
	}
	unstructured.RemoveNestedField(o, "metadata", "managedFields")
	unstructured.RemoveNestedField(o, "metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration")
	switch o["kind"] {
	case "Cluster":
		cleanCluster(o)
	case "FederatedObject":
		cleanFederatedObject(o)
	}
}

func cleanCluster(o map[string]any) {
	unstructured.RemoveNestedField(o, "spec", "proxyHeader")
	proxy, _, _ := unstructured.NestedString(o, "spec", "proxyURL")
	u, err := url.Parse(proxy)
	switch {
	case err != nil:
		unstructured.RemoveNestedField(o, "spec", "proxyURL")
	case u.User != nil:
		u.User = nil
		_ = unstructured.SetNestedField(o, u.String(), "spec", "proxyURL") // it is in a map already
	}
}

func cleanFederatedObject(o map[string]any) {
	template := v1alpha1.TemplateRef{}
	template.APIVersion, _, _ = unstructured.NestedString(o, "spec", "template", "apiVersion")
	template.Kind, _, _ = unstructured.NestedString(o, "spec", "template", "kind")
	if !template.ID().IsSecret() {
		return
	}
	for _, list := range [][]string{{"spec", "results"}, {"status", "clusters"}} {
		entries, _, _ := unstructured.NestedFieldNoCopy(o, list...)
		all, _ := entries.([]any)
		for _, e := range all {
			if entry, ok := e.(map[string]any); ok {
				delete(entry, "digest")
			}
		}
	}
}
