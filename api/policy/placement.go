package policy

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Placement selects clusters and divides replicas (Karmada §1.3).
type Placement struct {
	// ClusterAffinity selects the clusters; without it every cluster matches. It excludes clusterAffinities.
	ClusterAffinity *ClusterAffinity `json:"clusterAffinity,omitempty"`
	// ClusterAffinities are tried in order; the first one that fits selects the clusters. They exclude
	// clusterAffinity.
	ClusterAffinities []ClusterAffinityTerm `json:"clusterAffinities,omitempty"`
	// ClusterTolerations are the taints of clusters that the objects tolerate.
	ClusterTolerations []corev1.Toleration `json:"clusterTolerations,omitempty"`
	// SpreadConstraints bound the number of clusters, regions, zones and providers.
	SpreadConstraints []SpreadConstraint `json:"spreadConstraints,omitempty"`
	// ReplicaScheduling defines whether replicas are copied to each cluster or divided between the clusters.
	ReplicaScheduling *ReplicaScheduling `json:"replicaScheduling,omitempty"`
	// WorkloadAffinity places workloads with the same value of a label together or apart.
	WorkloadAffinity *WorkloadAffinity `json:"workloadAffinity,omitempty"`
}

// ClusterAffinity selects clusters; all parts present are ANDed, the empty one matches every cluster (Karmada §2.3).
type ClusterAffinity struct {
	// LabelSelector selects clusters by their labels.
	LabelSelector *metav1.LabelSelector `json:"labelSelector,omitempty"`
	// FieldSelector selects clusters by provider, region and zone.
	FieldSelector *FieldSelector `json:"fieldSelector,omitempty"`
	// ClusterNames are the names of the clusters; all clusters by default.
	ClusterNames []string `json:"clusterNames,omitempty"`
	// Exclude has the names of clusters that never match.
	Exclude []string `json:"exclude,omitempty"`
}

// FieldSelector selects by provider, region and zone.
type FieldSelector struct {
	// MatchExpressions are requirements on provider, region and zone. A cluster has to meet all of them.
	MatchExpressions []corev1.NodeSelectorRequirement `json:"matchExpressions,omitempty"`
}

// ClusterAffinityTerm is one of several affinities tried in order (Karmada §4.10).
type ClusterAffinityTerm struct {
	// AffinityName identifies the affinity in its list.
	// +kubebuilder:validation:MaxLength=32
	AffinityName    string `json:"affinityName"`
	ClusterAffinity `json:",inline"`
	// OverflowAffinities are tiers that are filled in order when the clusters of this affinity are full. They need a
	// division by free resources.
	OverflowAffinities []OverflowAffinity `json:"overflowAffinities,omitempty"`
}

// OverflowAffinity is a tier that is filled when the primary one is full (Karmada §4.8).
type OverflowAffinity struct {
	// AffinityName identifies the tier.
	// +kubebuilder:validation:MaxLength=32
	AffinityName    string `json:"affinityName"`
	ClusterAffinity `json:",inline"`
}

// SpreadConstraint bounds the number of selected groups (Karmada §4.5). MaxGroups 0 means no upper bound (B14).
// SpreadByLabel is accepted and has no effect.
type SpreadConstraint struct {
	// SpreadByField is the property that makes a group of clusters; cluster by default. Constraints by region need one
	// by cluster.
	// +kubebuilder:validation:Enum=cluster;region;zone;provider
	SpreadByField string `json:"spreadByField,omitempty"`
	// SpreadByLabel is accepted and has no effect.
	SpreadByLabel string `json:"spreadByLabel,omitempty"`
	// MinGroups is the least number of groups; 1 by default.
	// +kubebuilder:validation:Minimum=0
	MinGroups int `json:"minGroups,omitempty"`
	// MaxGroups is the greatest number of groups; 0 and absent mean no upper bound.
	// +kubebuilder:validation:Minimum=0
	MaxGroups int `json:"maxGroups,omitempty"`
}

// ReplicaScheduling defines whether replicas are copied or divided, and how (Karmada §1.3, §4.6).
type ReplicaScheduling struct {
	// ReplicaSchedulingType is Duplicated, where each cluster gets all replicas, or Divided (the default).
	// +kubebuilder:validation:Enum=Duplicated;Divided
	ReplicaSchedulingType string `json:"replicaSchedulingType,omitempty"`
	// ReplicaDivisionPreference applies with Divided: Weighted (the default) divides by weights, Aggregated fills as
	// few clusters as possible.
	// +kubebuilder:validation:Enum=Aggregated;Weighted
	ReplicaDivisionPreference string `json:"replicaDivisionPreference,omitempty"`
	// WeightPreference has the weights; without it all clusters weigh the same.
	WeightPreference *WeightPreference `json:"weightPreference,omitempty"`
}

// WeightPreference weighs clusters against each other.
type WeightPreference struct {
	// StaticWeightList has fixed weights of clusters.
	StaticWeightList []StaticWeight `json:"staticWeightList,omitempty"`
	// DynamicWeight divides by the free resources of the clusters. It comes before staticWeightList.
	// +kubebuilder:validation:Enum=AvailableReplicas
	DynamicWeight string `json:"dynamicWeight,omitempty"`
}

// StaticWeight is the weight of the clusters that it matches; the largest of several matches counts (Karmada §4.7).
type StaticWeight struct {
	// TargetCluster selects the clusters with this weight.
	TargetCluster ClusterAffinity `json:"targetCluster"`
	// Weight is the share of each of these clusters, relative to the weights of the others.
	// +kubebuilder:validation:Minimum=1
	Weight int64 `json:"weight"`
}

// WorkloadAffinity places workloads together or apart (Karmada §1.3).
type WorkloadAffinity struct {
	// Affinity places workloads of the same group together.
	Affinity *GroupBy `json:"affinity,omitempty"`
	// AntiAffinity places workloads of the same group apart.
	AntiAffinity *GroupBy `json:"antiAffinity,omitempty"`
}

// GroupBy groups workloads by the value of one label.
type GroupBy struct {
	// GroupByLabelKey is the key of the label; workloads with the same value are a group.
	GroupByLabelKey string `json:"groupByLabelKey"`
}

// Failover lets accord move objects away from clusters that failed, and workloads that stay unhealthy, if the Federation enables
// failover (Karmada §1.4).
type Failover struct {
	// Application has the conditions of a failover of unhealthy workloads. It needs propagateDeps: true.
	Application *ApplicationFailover `json:"application,omitempty"`
	// Cluster has the rules of a failover from unreachable clusters.
	Cluster *ClusterFailover `json:"cluster,omitempty"`
}

// ApplicationFailover is Karmada §1.4 application.
type ApplicationFailover struct {
	// DecisionConditions bound the time for which a workload may be unhealthy.
	DecisionConditions DecisionConditions `json:"decisionConditions"`
	// PurgeMode decides about the old copy: Directly removes it at once, Gracefully (the default) after the new copy
	// is healthy, Never keeps it. Immediately and Graciously are deprecated names of the first two.
	// +kubebuilder:validation:Enum=Directly;Gracefully;Never;Immediately;Graciously
	PurgeMode string `json:"purgeMode,omitempty"`
	// GracePeriodSeconds bounds the time for which the old copy stays with Gracefully; 600 by default.
	// +kubebuilder:validation:Minimum=1
	GracePeriodSeconds *int32 `json:"gracePeriodSeconds,omitempty"`
	// StatePreservation copies values of the old copy to the new one.
	StatePreservation *StatePreservation `json:"statePreservation,omitempty"`
}

// DecisionConditions bounds how long a workload may be unhealthy.
type DecisionConditions struct {
	// TolerationSeconds is the time for which a workload may be unhealthy; 300 by default.
	// +kubebuilder:validation:Minimum=0
	TolerationSeconds *int32 `json:"tolerationSeconds,omitempty"`
}

// ClusterFailover is Karmada §1.4 cluster.
type ClusterFailover struct {
	// PurgeMode decides about the old copy: Directly removes it at once, Gracefully (the default) after the new copy
	// is healthy. Immediately and Graciously are their deprecated names.
	// +kubebuilder:validation:Enum=Directly;Gracefully;Immediately;Graciously
	PurgeMode string `json:"purgeMode,omitempty"`
	// StatePreservation copies values of the old copy to the new one.
	StatePreservation *StatePreservation `json:"statePreservation,omitempty"`
}

// StatePreservation carries values from the old copy to the new one.
type StatePreservation struct {
	// Rules are the values to copy.
	Rules []StatePreservationRule `json:"rules"`
}

// StatePreservationRule is one value to carry.
type StatePreservationRule struct {
	// AliasLabelName is the label of the new copy that gets the value.
	AliasLabelName string `json:"aliasLabelName"`
	// JSONPath is the place of the value in the status of the old copy.
	JSONPath string `json:"jsonPath"`
}
