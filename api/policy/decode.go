package policy

import (
	"cmp"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
)

// Group is the API group of the policies, AppsGroup that of WorkloadRebalancers.
const (
	Group     = "policy.karmada.io"
	AppsGroup = "apps.karmada.io"
)

// DefaultNamespace is the namespace of a namespaced policy without metadata.namespace, as with kubectl.
const DefaultNamespace = "default"

// Decode decodes a PropagationPolicy or ClusterPropagationPolicy strictly, sets its defaults and validates it
// (Karmada §1.2 to §1.4). text is the YAML document of u, nil if there is none. The error joins all mistakes, each a
// *manifest.Error.
func Decode(u *unstructured.Unstructured, text []byte, origin manifest.Origin) (*Policy, error) {
	written, doc := read[PolicySpec](u, text, origin)
	p := &Policy{Meta: written.meta(doc, "PropagationPolicy"), Spec: written.Spec}
	written.check(doc, Group, "PropagationPolicy", "ClusterPropagationPolicy")
	p.Deprecated = deprecations(doc)
	p.setDefaults()
	p.validate(doc)
	return p, doc.Err()
}

// DecodeOverride decodes an OverridePolicy or ClusterOverridePolicy strictly, sets its defaults, folds the deprecated
// single-rule form into overrideRules and validates it (Karmada §1.5, §1.6). Text and error are as in Decode.
func DecodeOverride(u *unstructured.Unstructured, text []byte, origin manifest.Origin) (*Override, error) {
	written, doc := read[OverrideSpec](u, text, origin)
	o := &Override{Meta: written.meta(doc, "OverridePolicy"), Spec: written.Spec}
	written.check(doc, Group, "OverridePolicy", "ClusterOverridePolicy")
	defaultNamespaces(o.Meta, o.Spec.ResourceSelectors)
	o.validate(doc)
	if err := doc.Err(); err != nil {
		return o, err
	}
	o.fold(doc)
	return o, nil
}

// DecodeTaintPolicy decodes a ClusterTaintPolicy strictly and validates it (Karmada §1.7). Text and error are as in
// Decode.
func DecodeTaintPolicy(u *unstructured.Unstructured, text []byte, origin manifest.Origin) (TaintPolicy, error) {
	written, doc := read[TaintPolicySpec](u, text, origin)
	t := TaintPolicy{Meta: written.meta(doc, ""), Spec: written.Spec}
	written.check(doc, Group, "ClusterTaintPolicy")
	t.validate(doc)
	return t, doc.Err()
}

// DecodeRebalancer decodes a WorkloadRebalancer strictly and validates it (Karmada §4.11). Text and error are as in
// Decode.
func DecodeRebalancer(u *unstructured.Unstructured, text []byte, origin manifest.Origin) (Rebalancer, error) {
	written, doc := read[RebalancerSpec](u, text, origin)
	r := Rebalancer{Meta: written.meta(doc, ""), Spec: written.Spec}
	written.check(doc, AppsGroup, "WorkloadRebalancer")
	r.validate(doc)
	return r, doc.Err()
}

// manifestOf is a manifest whose spec is an S.
type manifestOf[S any] struct {
	document `json:",inline"`
	Spec     S `json:"spec"`
}

// read decodes a manifest strictly and indexes the positions of its fields.
func read[S any](u *unstructured.Unstructured, text []byte, origin manifest.Origin) (manifestOf[S], *manifest.Doc) {
	var written manifestOf[S]
	doc := hints.Decode(u, text, origin, &written)
	return written, doc
}

// document holds the parts that manifests of every kind have.
type document struct {
	metav1.TypeMeta `json:",inline"`
	Metadata        metav1.ObjectMeta `json:"metadata"`
}

// meta returns the decoded metadata; the namespace is kept for the namespaced kind only, as an API server does.
// Fields that the server sets (uid, resourceVersion, managedFields) are ignored, as kubectl apply does.
func (d document) meta(doc *manifest.Doc, namespaced string) Meta {
	m := Meta{Name: d.Metadata.Name, Labels: d.Metadata.Labels, Origin: doc.Origin, Lines: doc.Lines}
	if d.Kind == namespaced && namespaced != "" {
		m.Namespace = cmp.Or(d.Metadata.Namespace, DefaultNamespace)
	}
	return m
}

// check validates apiVersion, kind and metadata.
func (d document) check(doc *manifest.Doc, group string, kinds ...string) {
	doc.Require("apiVersion", d.APIVersion != "")
	doc.OneOf("apiVersion", d.APIVersion, group+"/v1alpha1")
	doc.Require("kind", d.Kind != "")
	doc.OneOf("kind", d.Kind, kinds...)
	doc.Require("metadata.name", d.Metadata.Name != "")
	doc.Require("spec", doc.Value("spec") != nil)
}
