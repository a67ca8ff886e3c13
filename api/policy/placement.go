package policy

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Placement selects clusters and divides replicas (Karmada §1.3).
type Placement struct {
	ClusterAffinity    *ClusterAffinity      `json:"clusterAffinity,omitempty"`
	ClusterAffinities  []ClusterAffinityTerm `json:"clusterAffinities,omitempty"`
	ClusterTolerations []corev1.Toleration   `json:"clusterTolerations,omitempty"`
	SpreadConstraints  []SpreadConstraint    `json:"spreadConstraints,omitempty"`
	ReplicaScheduling  *ReplicaScheduling    `json:"replicaScheduling,omitempty"`
	WorkloadAffinity   *WorkloadAffinity     `json:"workloadAffinity,omitempty"`
}

// ClusterAffinity selects clusters; all parts present are ANDed, the empty one matches every cluster (Karmada §2.3).
type ClusterAffinity struct {
	LabelSelector *metav1.LabelSelector `json:"labelSelector,omitempty"`
	FieldSelector *FieldSelector        `json:"fieldSelector,omitempty"`
	ClusterNames  []string              `json:"clusterNames,omitempty"`
	Exclude       []string              `json:"exclude,omitempty"`
}

// FieldSelector selects by provider, region and zone.
type FieldSelector struct {
	MatchExpressions []corev1.NodeSelectorRequirement `json:"matchExpressions,omitempty"`
}

// ClusterAffinityTerm is one of several affinities tried in order (Karmada §4.10).
type ClusterAffinityTerm struct {
	AffinityName       string `json:"affinityName"`
	ClusterAffinity    `json:",inline"`
	OverflowAffinities []OverflowAffinity `json:"overflowAffinities,omitempty"`
}

// OverflowAffinity is a tier that is filled when the primary one is full (Karmada §4.8).
type OverflowAffinity struct {
	AffinityName    string `json:"affinityName"`
	ClusterAffinity `json:",inline"`
}

// SpreadConstraint bounds the number of selected groups (Karmada §4.5). MaxGroups 0 means no upper bound (B14).
// SpreadByLabel is accepted and has no effect.
type SpreadConstraint struct {
	SpreadByField string `json:"spreadByField,omitempty"`
	SpreadByLabel string `json:"spreadByLabel,omitempty"`
	MinGroups     int    `json:"minGroups,omitempty"`
	MaxGroups     int    `json:"maxGroups,omitempty"`
}

// ReplicaScheduling defines whether replicas are copied or divided, and how (Karmada §1.3, §4.6).
type ReplicaScheduling struct {
	ReplicaSchedulingType     string            `json:"replicaSchedulingType,omitempty"`
	ReplicaDivisionPreference string            `json:"replicaDivisionPreference,omitempty"`
	WeightPreference          *WeightPreference `json:"weightPreference,omitempty"`
}

// WeightPreference weighs clusters against each other.
type WeightPreference struct {
	StaticWeightList []StaticWeight `json:"staticWeightList,omitempty"`
	DynamicWeight    string         `json:"dynamicWeight,omitempty"`
}

// StaticWeight is the weight of the clusters that it matches; the largest of several matches counts (Karmada §4.7).
type StaticWeight struct {
	TargetCluster ClusterAffinity `json:"targetCluster"`
	Weight        int64           `json:"weight"`
}

// WorkloadAffinity places workloads together or apart (Karmada §1.3).
type WorkloadAffinity struct {
	Affinity     *GroupBy `json:"affinity,omitempty"`
	AntiAffinity *GroupBy `json:"antiAffinity,omitempty"`
}

// GroupBy groups workloads by the value of one label.
type GroupBy struct {
	GroupByLabelKey string `json:"groupByLabelKey"`
}

// Failover is accepted, validated and reported as having no effect: an unreachable cluster does not change the
// placement (Karmada §1.4).
type Failover struct {
	Application *ApplicationFailover `json:"application,omitempty"`
	Cluster     *ClusterFailover     `json:"cluster,omitempty"`
}

// ApplicationFailover is Karmada §1.4 application.
type ApplicationFailover struct {
	DecisionConditions DecisionConditions `json:"decisionConditions"`
	PurgeMode          string             `json:"purgeMode,omitempty"`
	GracePeriodSeconds *int32             `json:"gracePeriodSeconds,omitempty"`
	StatePreservation  *StatePreservation `json:"statePreservation,omitempty"`
}

// DecisionConditions bounds how long a workload may be unhealthy.
type DecisionConditions struct {
	TolerationSeconds *int32 `json:"tolerationSeconds,omitempty"`
}

// ClusterFailover is Karmada §1.4 cluster.
type ClusterFailover struct {
	PurgeMode         string             `json:"purgeMode,omitempty"`
	StatePreservation *StatePreservation `json:"statePreservation,omitempty"`
}

// StatePreservation carries values from the old copy to the new one.
type StatePreservation struct {
	Rules []StatePreservationRule `json:"rules"`
}

// StatePreservationRule is one value to carry.
type StatePreservationRule struct {
	AliasLabelName string `json:"aliasLabelName"`
	JSONPath       string `json:"jsonPath"`
}
