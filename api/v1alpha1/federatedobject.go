package v1alpha1

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
)

// FederatedObject is one template across clusters: the decision and the aggregated status.
// status.observedGeneration reaches metadata.generation only when every decided cluster runs what was decided
// and its own controller has observed it. A change of template, policy, override, replicas or suspension raises
// the generation; a commit that changes nothing for the object does not.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:categories=accord,shortName=fo
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Kind",type=string,JSONPath=`.spec.template.kind`
// +kubebuilder:printcolumn:name="Object-Namespace",type=string,JSONPath=`.spec.template.namespace`
// +kubebuilder:printcolumn:name="Object",type=string,JSONPath=`.spec.template.name`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Healthy",type=string,JSONPath=`.status.summary.display`
// +kubebuilder:printcolumn:name="Held",type=integer,JSONPath=`.status.summary.held`
// +kubebuilder:printcolumn:name="Generation",type=integer,JSONPath=`.metadata.generation`
// +kubebuilder:printcolumn:name="Observed",type=integer,JSONPath=`.status.observedGeneration`
// +kubebuilder:printcolumn:name="Policy",type=string,priority=1,JSONPath=`.spec.policy`
// +kubebuilder:printcolumn:name="Status",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type FederatedObject struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec FederatedObjectSpec `json:"spec"`
	// +kubebuilder:default={"observedGeneration":-1,"conditions":{{"type":"Ready","status":"Unknown","observedGeneration":0,"lastTransitionTime":"1970-01-01T00:00:00Z","reason":"Progressing","message":"not delivered yet"}}}
	Status FederatedObjectStatus `json:"status,omitempty"`
}

// FederatedObjectSpec is the decision. Only the controller writes it.
type FederatedObjectSpec struct {
	Federation string      `json:"federation"`
	Template   TemplateRef `json:"template"`
	// Policy that claimed the object: "shop/web" or, cluster-wide, "web"; empty when none did.
	Policy string `json:"policy,omitempty"`
	// Results are the distinct results, each with the clusters that get it.
	// +listType=atomic
	Results []Result `json:"results,omitempty"`
	// Held are the clusters among them that deliberately do not get it now.
	Held []string `json:"held,omitempty"`
	// Message says why no cluster was chosen, or, with kept, why no new choice could be made; empty otherwise.
	Message string `json:"message,omitempty"`
	// PlacementRetained says that the clusters are those of the last time, because no new choice could be made.
	PlacementRetained bool `json:"placementRetained,omitempty"`
	// RequiredBy says of clusters that no policy of its own chose what it is there for.
	// +listType=atomic
	RequiredBy []Requirement `json:"requiredBy,omitempty"`

	// What the next decision depends on, beside what is in Git.

	// TemplateDigest identifies the manifest that was decided about; empty for Secrets.
	TemplateDigest string `json:"templateDigest,omitempty"`
	// Affinity is the affinityName of clusterAffinities in use; empty without them.
	Affinity string `json:"affinity,omitempty"`
	// LastRebalancer names the WorkloadRebalancer that was obeyed last.
	LastRebalancer string `json:"lastRebalancer,omitempty"`
	// Overwrite takes over objects that exist and are not ours; Preserve leaves them when they are no longer wanted;
	// Dependencies sends what the object refers to along.
	Overwrite    bool `json:"overwrite,omitempty"`
	Preserve     bool `json:"preserve,omitempty"`
	Dependencies bool `json:"dependencies,omitempty"`
	// PreviousPlacement is what was chosen the last time, while that differs from the variants: no cluster fits any more, and what runs
	// is left as it is.
	// +listType=atomic
	PreviousPlacement []PreviousResult `json:"previousPlacement,omitempty"`
}

// Requirement is why an object is on clusters that no policy of its own chose.
type Requirement struct {
	// Object that refers to it, "apps/Deployment shop/web"; empty for a Namespace that has objects in it.
	Object   string   `json:"object,omitempty"`
	Clusters []string `json:"clusters"`
}

// PreviousResult is what clusters got the last time.
type PreviousResult struct {
	Replicas    *int32   `json:"replicas,omitempty"`
	Completions *int32   `json:"completions,omitempty"`
	Held        bool     `json:"held,omitempty"`
	Clusters    []string `json:"clusters"`
}

// TemplateRef names the object and where it stands in Git.
type TemplateRef struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
	Origin     string `json:"origin,omitempty"`
}

// ID is the object, whatever version it is written in.
func (t TemplateRef) ID() manifest.ID {
	gk := schema.FromAPIVersionAndKind(t.APIVersion, t.Kind).GroupKind()
	return manifest.ID{Group: gk.Group, Kind: gk.Kind, Namespace: t.Namespace, Name: t.Name}
}

// Result is one rendered result and the clusters that get it.
type Result struct {
	// Digest of the rendered object, of a Secret a keyed fingerprint of it; empty when rendering failed for these clusters.
	Digest string `json:"digest,omitempty"`
	// Error of rendering; empty when it succeeded.
	Error    string `json:"error,omitempty"`
	Replicas *int32 `json:"replicas,omitempty"`
	// Completions of a divided Job.
	Completions *int32   `json:"completions,omitempty"`
	Clusters    []string `json:"clusters"`
}

// FederatedObjectStatus is the aggregate of what the decided clusters report.
type FederatedObjectStatus struct {
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Conditions: Ready, Reconciling, Stalled, Scheduled, Applied, Healthy.
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// Summary counts clusters.
	// +optional
	Summary Summary `json:"summary,omitzero"`
	// Clusters are at most ten, the worst first.
	// +kubebuilder:validation:MaxItems=10
	Clusters []ObjectOnCluster `json:"clusters,omitempty"`
	// Omitted counts the clusters that are not in Clusters.
	Omitted int32 `json:"omitted,omitempty"`
	// Aggregate is the status of the object summed up over clusters, in the shape of its kind's own status;
	// only what adds up is in it.
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:Type=object
	Aggregate *apiextensionsv1.JSON `json:"aggregate,omitempty"`
}

// ObjectOnCluster is one cluster's part.
type ObjectOnCluster struct {
	Cluster string `json:"cluster"`
	State   State  `json:"state"`
	// Digest that is live there, of a Secret a keyed fingerprint of it; empty when the object is not there or is not known.
	Digest string `json:"digest,omitempty"`
	// Generation and ObservedGeneration of the live object; absent for kinds without.
	Generation         int64  `json:"generation,omitempty"`
	ObservedGeneration int64  `json:"observedGeneration,omitempty"`
	Message            string `json:"message,omitempty"`
}

// FederatedObjectList is a list of FederatedObjects.
//
// +kubebuilder:object:root=true
type FederatedObjectList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []FederatedObject `json:"items"`
}
