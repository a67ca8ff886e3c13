package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Failover decides whether and how fast accord evicts objects from clusters that failed. A policy has to ask for it, too: by its
// spec.failover.
type Failover struct {
	// Enabled allows accord to evict objects. Without it spec.failover of the policies has no effect.
	Enabled bool `json:"enabled"`
	// MaxUnreachable is the share of the clusters that are not Ready, at least two, above which accord evicts nothing, because it
	// doubts its own network. The default is --failover-max-unreachable of the controllers (30%).
	// +kubebuilder:validation:Pattern=`^(100|[1-9]?[0-9])%$`
	MaxUnreachable string `json:"maxUnreachable,omitempty"`
	// Cooldown is the time for which a cluster that an object was evicted from is not preferred for the object, and the least time
	// between two evictions of an object from the same cluster.
	// +kubebuilder:default="1h"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	// +kubebuilder:validation:MaxLength=32
	Cooldown *metav1.Duration `json:"cooldown,omitempty"`
	// Stateful allows the eviction of StatefulSets and of workloads with PersistentVolumeClaims. Their data stays on the cluster that
	// failed.
	Stateful bool `json:"stateful,omitempty"`
	// GracefulEvictionTimeout is the time after which an old copy is deleted although not every replacement is healthy, if at least
	// one is. The default is --graceful-eviction-timeout of the controllers (10m).
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('1s')",message="gracefulEvictionTimeout is at least 1s"
	GracefulEvictionTimeout *metav1.Duration `json:"gracefulEvictionTimeout,omitempty"`
	// ResourceEvictionRate is the number of objects that are evicted from failed clusters in one second, such as "0.5". "0" is one
	// object in 30 minutes. The default is --resource-eviction-rate of the controllers (0.5).
	// +kubebuilder:validation:Pattern=`^[0-9]{1,6}(\.[0-9]{1,3})?$`
	ResourceEvictionRate string `json:"resourceEvictionRate,omitempty"`
	// DefaultNotReadyTolerationSeconds is the time for which a policy without a toleration for cluster.karmada.io/not-ready:NoExecute
	// tolerates this taint. The default is --default-not-ready-toleration-seconds of the controllers (none: such a policy does not
	// tolerate it).
	// +kubebuilder:validation:Minimum=0
	DefaultNotReadyTolerationSeconds *int64 `json:"defaultNotReadyTolerationSeconds,omitempty"`
	// DefaultUnreachableTolerationSeconds is the same for cluster.karmada.io/unreachable:NoExecute. The default is
	// --default-unreachable-toleration-seconds of the controllers (none).
	// +kubebuilder:validation:Minimum=0
	DefaultUnreachableTolerationSeconds *int64 `json:"defaultUnreachableTolerationSeconds,omitempty"`
}

// WithDefaults returns f with the fields of defaults where its own are empty. Enabled and Stateful have no default.
func (f Failover) WithDefaults(defaults Failover) Failover {
	if f.MaxUnreachable == "" {
		f.MaxUnreachable = defaults.MaxUnreachable
	}
	if f.Cooldown == nil {
		f.Cooldown = defaults.Cooldown
	}
	if f.GracefulEvictionTimeout == nil {
		f.GracefulEvictionTimeout = defaults.GracefulEvictionTimeout
	}
	if f.ResourceEvictionRate == "" {
		f.ResourceEvictionRate = defaults.ResourceEvictionRate
	}
	if f.DefaultNotReadyTolerationSeconds == nil {
		f.DefaultNotReadyTolerationSeconds = defaults.DefaultNotReadyTolerationSeconds
	}
	if f.DefaultUnreachableTolerationSeconds == nil {
		f.DefaultUnreachableTolerationSeconds = defaults.DefaultUnreachableTolerationSeconds
	}
	return f
}
