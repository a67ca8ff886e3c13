// Package delivery has the API group delivery.accord.dev/v1alpha1, which the aggregated API server of the hub serves to the agents of
// clusters: Bundles, and the contents of their subresources.
package delivery

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion of the API.
var GroupVersion = schema.GroupVersion{Group: "delivery.accord.dev", Version: "v1alpha1"}

// VersionHeader is the header of each answer of the aggregated API with the version of accord.
const VersionHeader = "Accord-Version"

const (
	// Bundles is the resource of Bundles.
	Bundles = "bundles"
	// Index is the subresource with the index of a bundle: GET returns the JSON document.
	Index = "index"
	// Objects is the subresource with the objects of a bundle: POST of a JSON list of digests returns a Content for each of them.
	Objects = "objects"
	// Answers is the subresource with which an agent answers a question of its index: POST of a JSON document with the ID of the question.
	Answers = "answers"
	// Attach is the subresource at which the agent opens its tunnel: GET that upgrades to a WebSocket. API servers know the name as that of
	// requests without a time limit.
	Attach = "attach"
)

// Bundle shows the desired state of one cluster, in figures. Its name is that of the Cluster. The API server has Bundles only in memory,
// and nobody can write them. An agent watches its own Bundle, and reads the index whenever Status.Index changes.
type Bundle struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Status BundleStatus `json:"status"`
}

// BundleStatus has the figures of a bundle.
type BundleStatus struct {
	// Index is the SHA-256 digest of the index, in hexadecimal. It is the ETag of the index, too.
	Index string `json:"index"`
	// Federations that have objects for the cluster.
	Federations int64 `json:"federations"`
	// Objects of the bundle.
	Objects int64 `json:"objects"`
	// Bytes of index and objects, uncompressed.
	Bytes int64 `json:"bytes"`
	// Published is the time at which this replica got the current index.
	Published metav1.Time `json:"published"`
}

// BundleList is a list of Bundles.
type BundleList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Bundle `json:"items"`
}

// AddToScheme adds the kinds of the group to a scheme, as their own internal version, too.
func AddToScheme(s *runtime.Scheme) error {
	for _, version := range []schema.GroupVersion{GroupVersion, {Group: GroupVersion.Group, Version: runtime.APIVersionInternal}} {
		s.AddKnownTypes(version, &Bundle{}, &BundleList{})
	}
	metav1.AddToGroupVersion(s, GroupVersion)
	return nil
}

// DeepCopyObject implements runtime.Object.
func (b *Bundle) DeepCopyObject() runtime.Object { return b.DeepCopy() }

// DeepCopy returns a copy that shares nothing with the Bundle.
func (b *Bundle) DeepCopy() *Bundle {
	c := *b
	b.ObjectMeta.DeepCopyInto(&c.ObjectMeta)
	b.Status.Published.DeepCopyInto(&c.Status.Published)
	return &c
}

// DeepCopyObject implements runtime.Object.
func (l *BundleList) DeepCopyObject() runtime.Object {
	c := *l
	l.ListMeta.DeepCopyInto(&c.ListMeta)
	c.Items = make([]Bundle, len(l.Items))
	for i := range l.Items {
		c.Items[i] = *l.Items[i].DeepCopy()
	}
	return &c
}

// OpenAPIModelName returns the name of the schema in OpenAPI documents.
func (Bundle) OpenAPIModelName() string { return "dev.accord.delivery.v1alpha1.Bundle" }

// OpenAPIModelName returns the name of the schema in OpenAPI documents.
func (BundleStatus) OpenAPIModelName() string { return "dev.accord.delivery.v1alpha1.BundleStatus" }

// OpenAPIModelName returns the name of the schema in OpenAPI documents.
func (BundleList) OpenAPIModelName() string { return "dev.accord.delivery.v1alpha1.BundleList" }
