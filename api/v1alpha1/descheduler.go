package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Descheduler decides whether and when accord moves replicas that a cluster cannot schedule. It concerns workloads whose policy divides
// the replicas by the free resources of clusters: Aggregated, or dynamicWeight.
type Descheduler struct {
	// Enabled allows accord to move replicas.
	Enabled bool `json:"enabled"`
	// UnschedulableThreshold is the time for which a pod is unschedulable before its replica moves to another cluster. The default is
	// --unschedulable-threshold of the controllers (5m).
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('1s')",message="unschedulableThreshold is at least 1s"
	UnschedulableThreshold *metav1.Duration `json:"unschedulableThreshold,omitempty"`
}
