package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// GracefulEvictionTask moves an object away from one cluster. Its fields are those of Karmada's task (Karmada 5.5), with
// CompletionTimestamp added.
type GracefulEvictionTask struct {
	// FromCluster is the cluster that the object leaves.
	FromCluster string `json:"fromCluster"`
	// PurgeMode decides when the old copy is deleted: Gracefully when the replacement is healthy, Directly before the replacement
	// is applied, Never only after a person has set suppressDeletion to false.
	PurgeMode PurgeMode `json:"purgeMode"`
	// Replicas of the workload on the cluster before the eviction; empty for objects without replicas.
	Replicas *int32 `json:"replicas,omitempty"`
	// Reason is TaintUntolerated, ApplicationFailure or ClusterRemoved.
	Reason string `json:"reason"`
	// Message explains the reason.
	Message string `json:"message,omitempty"`
	// Producer is the part of accord that began the eviction: TaintManager, ApplicationFailover or ClusterRemoval.
	Producer string `json:"producer"`
	// GracePeriodSeconds is the time after which the old copy is deleted although not every replacement is healthy, if at least one
	// is. Empty uses gracefulEvictionTimeout of the Federation.
	GracePeriodSeconds *int32 `json:"gracePeriodSeconds,omitempty"`
	// SuppressDeletion keeps the old copy while it is true.
	SuppressDeletion *bool `json:"suppressDeletion,omitempty"`
	// CreationTimestamp is the time at which the eviction began.
	CreationTimestamp metav1.Time `json:"creationTimestamp"`
	// PreservedLabelState are labels for the replacement, taken from the status of the old copy.
	PreservedLabelState map[string]string `json:"preservedLabelState,omitempty"`
	// ClustersBeforeFailover are the clusters that had the object before the eviction, sorted.
	ClustersBeforeFailover []string `json:"clustersBeforeFailover,omitempty"`
	// CompletionTimestamp is the time at which the old copy was given up; empty while the eviction is under way. A completed task
	// stays until the cooldown of the Federation has passed.
	CompletionTimestamp *metav1.Time `json:"completionTimestamp,omitempty"`
	// Cancelled reports whether the eviction ended without a move: its cause ended before a replacement was healthy, and the object
	// stays on the cluster with the replicas that it had there.
	Cancelled bool `json:"cancelled,omitempty"`
}

// PurgeMode decides when an eviction deletes the old copy.
// +kubebuilder:validation:Enum=Gracefully;Directly;Never
type PurgeMode string

const (
	PurgeGracefully PurgeMode = "Gracefully"
	PurgeDirectly   PurgeMode = "Directly"
	PurgeNever      PurgeMode = "Never"
)

// PlannedEvictions are the tasks that a recorded decision follows.
type PlannedEvictions struct {
	// Tasks may be empty.
	// +listType=map
	// +listMapKey=fromCluster
	Tasks []GracefulEvictionTask `json:"tasks,omitempty"`
}

// Open reports whether the eviction is under way.
func (t GracefulEvictionTask) Open() bool { return t.CompletionTimestamp.IsZero() }

// EvictionState explains one eviction of an object.
type EvictionState struct {
	// Cluster that the object leaves, or should leave.
	Cluster string `json:"cluster"`
	// Phase is Evicting while a task is open, and Blocked for an eviction that has a cause and does not begin.
	Phase EvictionPhase `json:"phase"`
	// Message names the event that the eviction waits for, or the reason why it does not begin.
	Message string `json:"message,omitempty"`
	// Deadline is the end of the grace period; absent if no deadline changes anything.
	Deadline *metav1.Time `json:"deadline,omitempty"`
}

// EvictionPhase is the phase of an eviction.
// +kubebuilder:validation:Enum=Evicting;Blocked
type EvictionPhase string

const (
	EvictionOpen    EvictionPhase = "Evicting"
	EvictionBlocked EvictionPhase = "Blocked"
)

// UnhealthyCopy is the object on a cluster where it is unhealthy.
type UnhealthyCopy struct {
	// Cluster of the copy.
	Cluster string `json:"cluster"`
	// Since is the time since which the copy is unhealthy.
	Since metav1.Time `json:"since"`
}
