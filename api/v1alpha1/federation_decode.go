package v1alpha1

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
)

// maxFederationName is the longest name of a Federation, as in the CustomResourceDefinition.
const maxFederationName = 63

// IsFederation reports whether an object is a Federation.
func IsFederation(id manifest.ID) bool {
	return id.Group == GroupVersion.Group && id.Kind == "Federation"
}

// Declarer returns the value of SourceLabel of the Clusters and Federations that the Federation declares.
func (f *Federation) Declarer() string { return f.Namespace + "." + f.Name }

// DecodeFederation strictly reads the manifest of a Federation that Git declares, without its status and without the fields of its
// metadata that a server sets. text is the YAML document of u, nil when there is none. The error joins every mistake, each a
// *manifest.Error. The API server of the hub checks what is not checked here.
func DecodeFederation(u *unstructured.Unstructured, text []byte, origin manifest.Origin) (Federation, error) {
	var written Federation
	doc := manifest.Decode(u, text, origin, &written)
	doc.OneOf("apiVersion", written.APIVersion, GroupVersion.String())
	doc.Require("metadata.name", written.Name != "")
	if n := len(written.Name); n > maxFederationName {
		doc.Errorf("metadata.name", "the name of a Federation has at most %d characters, this one has %d", maxFederationName, n)
	}
	doc.Require("metadata.namespace", written.Namespace != "")
	checkReservedLabels(doc, written.Labels)
	doc.Require("spec.sources", len(written.Spec.Sources) > 0)
	for i, s := range written.Spec.Sources {
		at := fmt.Sprintf("spec.sources[%d]", i)
		doc.Require(at+".name", s.Name != "")
		if (s.URL != "") == (s.Cluster != nil) {
			doc.Errorf(at, "%s sets url and cluster, or none of them; set exactly one", at)
		}
	}
	for i, d := range written.Spec.DependsOn {
		doc.Require(fmt.Sprintf("spec.dependsOn[%d].name", i), d.Name != "")
	}
	f := Federation{Spec: written.Spec}
	f.SetGroupVersionKind(GroupVersion.WithKind("Federation"))
	f.Namespace, f.Name, f.Labels, f.Annotations = written.Namespace, written.Name, written.Labels, written.Annotations
	return f, doc.Err()
}
