package policy

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
)

// Group is the API group of the policies.
const Group = "policy.karmada.io"

// DefaultNamespace is where a namespaced policy stands whose manifest does not say, as with kubectl.
const DefaultNamespace = "default"

// Decode reads a PropagationPolicy or ClusterPropagationPolicy strictly, sets its defaults and validates it
// (Karmada §1.2 to §1.4). text is the YAML document of u, nil when there is none. The error joins every mistake found,
// each a *manifest.Error.
func Decode(u *unstructured.Unstructured, text []byte, origin manifest.Origin) (Policy, error) {
	var written struct {
		document `json:",inline"`
		Spec     PolicySpec `json:"spec"`
	}
	doc := manifest.Decode(u, text, origin, &written)
	p := Policy{Meta: written.meta(doc, "ClusterPropagationPolicy"), Spec: written.Spec}
	written.check(doc, u)
	p.setDefaults()
	p.validate(doc)
	return p, doc.Err()
}

// DecodeOverride reads an OverridePolicy or ClusterOverridePolicy strictly, sets its defaults, folds the deprecated
// single-rule form into overrideRules and validates it (Karmada §1.5, §1.6). Text and error are as with Decode.
func DecodeOverride(u *unstructured.Unstructured, text []byte, origin manifest.Origin) (Override, error) {
	var written struct {
		document `json:",inline"`
		Spec     OverrideSpec `json:"spec"`
	}
	doc := manifest.Decode(u, text, origin, &written)
	o := Override{Meta: written.meta(doc, "ClusterOverridePolicy"), Spec: written.Spec}
	written.check(doc, u)
	defaultNamespaces(o.Meta, o.Spec.ResourceSelectors)
	o.validate(doc)
	o.fold(doc)
	return o, doc.Err()
}

// document is what manifests of every kind have.
type document struct {
	metav1.TypeMeta `json:",inline"`
	Metadata        metav1.ObjectMeta `json:"metadata"`
}

// meta is what is kept of the metadata. What an API server sets (uid, resourceVersion, managedFields) is left alone,
// as kubectl apply would.
func (d document) meta(doc *manifest.Doc, clusterWide string) Meta {
	m := Meta{
		Namespace: d.Metadata.Namespace, Name: d.Metadata.Name, Labels: d.Metadata.Labels,
		Origin: doc.Origin, Lines: doc.Lines,
	}
	switch {
	case d.Kind == clusterWide:
		m.Namespace = ""
	case m.Namespace == "":
		m.Namespace = DefaultNamespace
	}
	return m
}

// check is what has to be right in every manifest.
func (d document) check(doc *manifest.Doc, u *unstructured.Unstructured) {
	doc.Require("metadata.name", d.Metadata.Name != "")
	doc.OneOf("apiVersion", d.APIVersion, Group+"/v1alpha1")
	_, present := u.Object["spec"]
	doc.Require("spec", present)
}
