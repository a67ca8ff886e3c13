package policy

import corev1 "k8s.io/api/core/v1"

// TaintPolicy is a ClusterTaintPolicy (Karmada §1.7).
type TaintPolicy struct {
	Meta
	Spec TaintPolicySpec
}

// Title returns "ClusterTaintPolicy not-ready".
func (t *TaintPolicy) Title() string { return "ClusterTaintPolicy " + t.Name }

// TaintPolicySpec taints the clusters it targets by their conditions.
type TaintPolicySpec struct {
	// TargetClusters selects the clusters; without it the policy applies to every cluster.
	TargetClusters *ClusterAffinity `json:"targetClusters,omitempty"`
	// AddOnConditions add the taints when a cluster meets all of them.
	AddOnConditions []ConditionMatch `json:"addOnConditions,omitempty"`
	// RemoveOnConditions remove the taints when a cluster meets all of them.
	RemoveOnConditions []ConditionMatch `json:"removeOnConditions,omitempty"`
	// Taints are added to the clusters and removed from them.
	// +kubebuilder:validation:MinItems=1
	Taints []PolicyTaint `json:"taints"`
}

// ConditionMatch is one requirement on a condition of a cluster. It never matches a condition that the cluster does
// not have, not even with NotIn.
type ConditionMatch struct {
	// ConditionType is the type of a condition of the cluster, "Ready".
	ConditionType string `json:"conditionType"`
	// Operator is In or NotIn.
	// +kubebuilder:validation:Enum=In;NotIn
	Operator string `json:"operator"`
	// StatusValues are the values of the condition: True, False and Unknown.
	// +kubebuilder:validation:items:Enum=True;False;Unknown
	StatusValues []string `json:"statusValues"`
}

// PolicyTaint is a taint that the policy adds or removes.
type PolicyTaint struct {
	// Key of the taint.
	Key string `json:"key"`
	// Effect of the taint: NoSchedule, or NoExecute, which keeps new objects away as NoSchedule does.
	// +kubebuilder:validation:Enum=NoSchedule;NoExecute
	Effect corev1.TaintEffect `json:"effect"`
	// Value of the taint.
	Value string `json:"value,omitempty"`
}
