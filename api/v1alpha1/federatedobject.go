package v1alpha1

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
)

// FederatedObject is one template across clusters: the decision of the plan and the aggregated status.
// status.observedGeneration reaches metadata.generation only when every chosen cluster runs the decided version and its
// controllers have observed it. A change of template, policy, override, replicas or suspension raises the generation. A
// commit that changes nothing for the object does not.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:categories=accord,shortName=fo
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Kind",type=string,JSONPath=`.spec.template.kind`
// +kubebuilder:printcolumn:name="Object-Namespace",type=string,JSONPath=`.spec.template.namespace`
// +kubebuilder:printcolumn:name="Object",type=string,JSONPath=`.spec.template.name`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Clusters",type=string,JSONPath=`.status.summary.display`,description="clusters that are healthy / clusters decided"
// +kubebuilder:printcolumn:name="Held",type=integer,JSONPath=`.status.summary.held`
// +kubebuilder:printcolumn:name="Policy",type=string,priority=1,JSONPath=`.spec.policy`
// +kubebuilder:printcolumn:name="Status",type=string,JSONPath=`.status.message`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type FederatedObject struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +structType=atomic
	Spec FederatedObjectSpec `json:"spec"`
	// +structType=atomic
	// +kubebuilder:default={"observedGeneration":-1,"message":"not delivered yet","conditions":{{"type":"Ready","status":"Unknown","observedGeneration":0,"lastTransitionTime":"1970-01-01T00:00:00Z","reason":"Progressing","message":"not delivered yet"}}}
	Status FederatedObjectStatus `json:"status,omitempty"`
}

// FederatedObjectSpec is the decision of the plan. Only the controller writes it.
type FederatedObjectSpec struct {
	// Federation that the object belongs to, in the same namespace.
	Federation string `json:"federation"`
	// Template identifies the object and its file in Git.
	Template TemplateRef `json:"template"`
	// Policy that claims the object: "shop/web", or "web" if it is cluster-wide; empty when no policy claims the object.
	Policy string `json:"policy,omitempty"`
	// Results are the distinct rendered objects, each with the clusters that get it.
	// +listType=atomic
	Results []Result `json:"results,omitempty"`
	// Held are the clusters of Results that deliberately do not get the object now.
	Held []string `json:"held,omitempty"`
	// Message is the reason why no cluster was chosen or, with placementRetained, why no new choice could be made; empty
	// otherwise.
	Message string `json:"message,omitempty"`
	// PlacementRetained reports whether the previous clusters stay, because no new choice could be made.
	PlacementRetained bool `json:"placementRetained,omitempty"`
	// RequiredBy lists the objects that need this one on clusters that its own policy did not choose.
	// +listType=atomic
	RequiredBy []Requirement `json:"requiredBy,omitempty"`

	// The fields below are inputs of the next decision that are not in Git.

	// TemplateDigest identifies the manifest that the decision was made for; empty for Secrets.
	TemplateDigest string `json:"templateDigest,omitempty"`
	// Affinity is the affinityName in use of spec.placement.clusterAffinities; empty without clusterAffinities.
	Affinity string `json:"affinity,omitempty"`
	// LastRebalancer is the WorkloadRebalancer that was handled last.
	LastRebalancer string `json:"lastRebalancer,omitempty"`
	// LastDescheduled describes the replicas that the descheduler moved last; empty after another division of the replicas.
	LastDescheduled string `json:"lastDescheduled,omitempty"`
	// DescheduledFrom are the clusters that could not schedule replicas of the object, which moved away. A cluster of the list gets no
	// more replicas until it has more room for them than it had then, or the manifest changes, or a WorkloadRebalancer names the object.
	// +listType=map
	// +listMapKey=cluster
	DescheduledFrom []DescheduledCluster `json:"descheduledFrom,omitempty"`
	// Overwrite adopts an object of the same name that exists on the cluster.
	Overwrite bool `json:"overwrite,omitempty"`
	// Preserve leaves the object on the cluster when it is no longer wanted.
	Preserve bool `json:"preserve,omitempty"`
	// Dependencies delivers the objects that this one refers to with it.
	Dependencies bool `json:"dependencies,omitempty"`
	// PreviousPlacement is the last choice while it differs from Results: no cluster fits any more, and the running objects stay
	// as they are.
	// +listType=atomic
	PreviousPlacement []PreviousResult `json:"previousPlacement,omitempty"`
	// GracefulEvictionTasks are the evictions of the object: those under way, and those whose cluster is not preferred yet.
	// +listType=map
	// +listMapKey=fromCluster
	GracefulEvictionTasks []GracefulEvictionTask `json:"gracefulEvictionTasks,omitempty"`
	// PlannedEvictions are the tasks that the decision of this record follows. They are only present while they differ from
	// gracefulEvictionTasks: the hub has the newest tasks before the plan that follows them.
	PlannedEvictions *PlannedEvictions `json:"plannedEvictions,omitempty"`
}

// Requirement is another object that needs this one on clusters.
type Requirement struct {
	// Object that refers to this one, "apps/Deployment shop/web"; empty for a Namespace, which its objects need.
	Object string `json:"object,omitempty"`
	// Clusters on which the object needs this one.
	Clusters []string `json:"clusters"`
}

// DescheduledCluster is a cluster that could not schedule some replicas.
type DescheduledCluster struct {
	// Cluster by name.
	Cluster string `json:"cluster"`
	// Running is the number of replicas that ran there at that time.
	Running int32 `json:"running"`
	// Room is the number of further replicas for which its free resources sufficed in sum, those of waiting pods included.
	Room int32 `json:"room"`
}

// PreviousResult is the part of the previous choice that some clusters share.
type PreviousResult struct {
	// Replicas of a workload on each of the clusters.
	Replicas *int32 `json:"replicas,omitempty"`
	// Completions of a Job on each of the clusters.
	Completions *int32 `json:"completions,omitempty"`
	// Held reports whether the clusters were held.
	Held bool `json:"held,omitempty"`
	// Clusters that share this part of the choice.
	Clusters []string `json:"clusters"`
}

// TemplateRef identifies the object and its file in Git.
type TemplateRef struct {
	// APIVersion of the object.
	APIVersion string `json:"apiVersion"`
	// Kind of the object.
	Kind string `json:"kind"`
	// Namespace of the object; empty if it is cluster-scoped.
	Namespace string `json:"namespace,omitempty"`
	// Name of the object.
	Name string `json:"name"`
	// Origin is the file and line of the manifest: "apps/web.yaml:12".
	Origin string `json:"origin,omitempty"`
}

// ID returns the identity of the object, which does not depend on the API version.
func (t TemplateRef) ID() manifest.ID {
	gk := schema.FromAPIVersionAndKind(t.APIVersion, t.Kind).GroupKind()
	return manifest.ID{Group: gk.Group, Kind: gk.Kind, Namespace: t.Namespace, Name: t.Name}
}

// Result is one rendered object and the clusters that get it.
type Result struct {
	// Digest of the rendered object, for a Secret a keyed fingerprint; empty when rendering failed for these clusters.
	Digest string `json:"digest,omitempty"`
	// Error of rendering; empty when it succeeded.
	Error string `json:"error,omitempty"`
	// Replicas of a workload on each of the clusters.
	Replicas *int32 `json:"replicas,omitempty"`
	// Completions of a divided Job.
	Completions *int32 `json:"completions,omitempty"`
	// Clusters that get this rendered object.
	Clusters []string `json:"clusters"`
}

// FederatedObjectStatus aggregates the state of the object on the chosen clusters.
type FederatedObjectStatus struct {
	// ObservedGeneration is the generation that every decided cluster runs, healthy or not.
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Conditions: Ready, Reconciling, Stalled, Scheduled, Applied, Healthy.
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// Message is the first sentence of the message of condition Ready, at most 80 characters, for tables.
	Message string `json:"message,omitempty"`
	// Summary counts clusters.
	// +optional
	Summary Summary `json:"summary,omitzero"`
	// Clusters are at most ten of the chosen clusters, the worst state first.
	// +kubebuilder:validation:MaxItems=10
	Clusters []ObjectOnCluster `json:"clusters,omitempty"`
	// Omitted counts the clusters that are not in Clusters.
	Omitted int32 `json:"omitted,omitempty"`
	// Evictions explain the open tasks of spec.gracefulEvictionTasks, and the evictions that have a cause and do not begin.
	// +listType=map
	// +listMapKey=cluster
	Evictions []EvictionState `json:"evictions,omitempty"`
	// UnhealthySince lists the unhealthy copies of an object whose policy has spec.failover.application.
	// +listType=map
	// +listMapKey=cluster
	UnhealthySince []UnhealthyCopy `json:"unhealthySince,omitempty"`
	// Aggregate is the status of the object over all clusters, in the schema of its kind. It has only the fields that can be
	// aggregated.
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:Type=object
	Aggregate *apiextensionsv1.JSON `json:"aggregate,omitempty"`
}

// ObjectOnCluster is the state of the object on one cluster.
type ObjectOnCluster struct {
	// Cluster that was decided for the object.
	Cluster string `json:"cluster"`
	// State of the object on the cluster.
	State State `json:"state"`
	// Digest of the live object, for a Secret a keyed fingerprint; empty when the object is absent or unknown.
	Digest string `json:"digest,omitempty"`
	// Generation of the live object.
	Generation int64 `json:"generation,omitempty"`
	// ObservedGeneration of the live object; absent for kinds that have none.
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Message is the reason of the state.
	Message string `json:"message,omitempty"`
}

// FederatedObjectList is a list of FederatedObjects.
//
// +kubebuilder:object:root=true
type FederatedObjectList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []FederatedObject `json:"items"`
}
