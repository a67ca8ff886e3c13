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
	TargetClusters     *ClusterAffinity `json:"targetClusters,omitempty"`
	AddOnConditions    []ConditionMatch `json:"addOnConditions,omitempty"`
	RemoveOnConditions []ConditionMatch `json:"removeOnConditions,omitempty"`
	Taints             []PolicyTaint    `json:"taints"`
}

// ConditionMatch is one requirement on a condition of a cluster. It never matches a condition that the cluster does
// not have, not even with NotIn.
type ConditionMatch struct {
	ConditionType string   `json:"conditionType"`
	Operator      string   `json:"operator"`
	StatusValues  []string `json:"statusValues"`
}

// PolicyTaint is a taint that the policy adds or removes.
type PolicyTaint struct {
	Key    string             `json:"key"`
	Effect corev1.TaintEffect `json:"effect"`
	Value  string             `json:"value,omitempty"`
}
