package policy

// Rebalancer is a WorkloadRebalancer (apps.karmada.io, Karmada §4.11): it requests a new placement of some workloads.
type Rebalancer struct {
	Meta
	Spec RebalancerSpec
}

// Title returns "WorkloadRebalancer after-the-move".
func (r *Rebalancer) Title() string { return "WorkloadRebalancer " + r.Name }

// RebalancerSpec names the workloads.
type RebalancerSpec struct {
	// Workloads are the objects that get a new placement.
	// +kubebuilder:validation:MinItems=1
	Workloads []ObjectReference `json:"workloads"`
	// TTLSecondsAfterFinished is accepted and has no effect: accord does not delete manifests from Git.
	TTLSecondsAfterFinished *int32 `json:"ttlSecondsAfterFinished,omitempty"`
}

// ObjectReference names one object.
type ObjectReference struct {
	// APIVersion is the group and version of the object.
	APIVersion string `json:"apiVersion"`
	// Kind of the object.
	Kind string `json:"kind"`
	// Namespace of the object.
	Namespace string `json:"namespace,omitempty"`
	// Name of the object.
	Name string `json:"name"`
}
