package policy

// RolloutGroup is the API group of RolloutPolicies: Karmada has no such kind.
const RolloutGroup = "accord.dev"

// Values of the fields of a RolloutPolicy.
const (
	Manual    = "Manual"
	None      = "None"
	Halt      = "Halt"
	Rollback  = "Rollback"
	Immediate = "Immediate"
	Staged    = "Staged"
)

// DefaultProgressDeadline applies if a RolloutPolicy sets none; Kubernetes has the same default for a Deployment.
const DefaultProgressDeadline Duration = "10m"

// Rollout is a RolloutPolicy (accord.dev/v1alpha1): the order in which clusters get a change, and the conditions
// before the next clusters do. Without metadata.namespace it applies to the whole fleet, with it to the objects of
// that namespace.
type Rollout struct {
	Meta
	Spec RolloutSpec
	// Commands holds the commands in annotations of the manifest.
	Commands []Command
}

// Title returns "RolloutPolicy shop/web", or "RolloutPolicy standard" for a cluster-wide policy.
func (r *Rollout) Title() string { return "RolloutPolicy " + r.String() }

// RolloutSpec is .spec of a RolloutPolicy.
type RolloutSpec struct {
	// ResourceSelectors select the objects that move together, as in a PropagationPolicy.
	// +kubebuilder:validation:MinItems=1
	ResourceSelectors []ResourceSelector `json:"resourceSelectors"`
	// Stages are listed in the order in which they get a change. Every cluster with one of the objects is in exactly
	// one stage.
	// +kubebuilder:validation:MinItems=1
	Stages []RolloutStage `json:"stages"`
	// FailureBudget bounds the clusters of each stage that may fail or be unreachable without stopping the rollout.
	FailureBudget FailureBudget `json:"failureBudget,omitempty"`
	// ProgressDeadline is the time in which a cluster must become healthy; 10m by default.
	ProgressDeadline Duration `json:"progressDeadline,omitempty"`
	// OnFailure selects the reaction when unhealthy clusters exceed the budget: Halt (the default) or Rollback.
	// +kubebuilder:validation:Enum=Halt;Rollback
	OnFailure string `json:"onFailure,omitempty"`
	// CatchUpPolicy selects the time at which a cluster gets the change if it was held or unreachable when its stage
	// had its turn: Immediate (the default), at the newest revision, or Staged, which returns the rollout to
	// that stage.
	// +kubebuilder:validation:Enum=Immediate;Staged
	CatchUpPolicy string `json:"catchUpPolicy,omitempty"`
	// Paused stops the rollout: no further cluster gets a change.
	Paused bool `json:"paused,omitempty"`
	// PauseReason is shown wherever the pause is reported. It has no effect by itself.
	PauseReason string `json:"pauseReason,omitempty"`
}

// RolloutStage is one step of a rollout.
type RolloutStage struct {
	// Name of the stage, unique in the policy.
	Name string `json:"name"`
	// ClusterAffinity selects the clusters of the stage; without it the stage has every cluster.
	ClusterAffinity *ClusterAffinity `json:"clusterAffinity,omitempty"`
	// First lists the clusters of the stage that come first, in this order; the others follow by name.
	First []string `json:"first,omitempty"`
	// MaxConcurrency bounds the clusters of the stage that change at the same time: a number, or a percentage of the
	// stage, rounded down and at least 1. Without it all clusters change at once.
	MaxConcurrency Amount `json:"maxConcurrency,omitempty"`
	// Gate holds the conditions to leave the stage, in addition to healthy clusters.
	Gate RolloutGate `json:"gate,omitempty"`
	// ProgressDeadline overrides that of the policy.
	ProgressDeadline Duration `json:"progressDeadline,omitempty"`
	// Paused stops the rollout at this stage: no further cluster of this stage or of later stages gets a change.
	Paused bool `json:"paused,omitempty"`
	// PauseReason is shown wherever the pause is reported. It has no effect by itself.
	PauseReason string `json:"pauseReason,omitempty"`
}

// RolloutGate holds the conditions to leave a stage. Clusters must always be healthy with the change.
type RolloutGate struct {
	// SoakDuration is the time for which each cluster must be healthy without interruption.
	SoakDuration Duration `json:"soakDuration,omitempty"`
	// Conditions are types of status.conditions. On each cluster, each must be True on every object of the rollout
	// that has it, and at least one object must have it.
	Conditions []string `json:"conditions,omitempty"`
	// Job must be complete on each cluster. It is one of the objects of the rollout.
	Job *RolloutJob `json:"job,omitempty"`
	// CEL is an expression that must be true on each cluster. The list objects holds the reported objects of the
	// rollout there: objects.all(o, !has(o.status.failed)).
	CEL string `json:"cel,omitempty"`
	// Approval is Manual, or None (the default).
	// +kubebuilder:validation:Enum=None;Manual
	Approval string `json:"approval,omitempty"`
	// Windows are the times at which the gate may open; without windows it may always open.
	Windows []Window `json:"windows,omitempty"`
}

// RolloutJob names a Job.
type RolloutJob struct {
	// Namespace of the Job.
	Namespace string `json:"namespace"`
	// Name of the Job.
	Name string `json:"name"`
}

// FailureBudget bounds the failures of a stage. Each is a number of clusters, or a percentage of the stage, rounded
// down; 0 by default.
type FailureBudget struct {
	// MaxUnhealthy counts clusters that got the change and were not healthy before the deadline.
	MaxUnhealthy Amount `json:"maxUnhealthy,omitempty"`
	// MaxUnreachable counts unreachable clusters.
	MaxUnreachable Amount `json:"maxUnreachable,omitempty"`
}

// Deadline returns the time in which a cluster of the stage must become healthy.
func (s *RolloutSpec) Deadline(stage RolloutStage) Duration {
	if stage.ProgressDeadline != "" {
		return stage.ProgressDeadline
	}
	if s.ProgressDeadline != "" {
		return s.ProgressDeadline
	}
	return DefaultProgressDeadline
}
