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

// DefaultProgressDeadline is that of a RolloutPolicy that does not say: the time that Kubernetes gives a Deployment, too.
const DefaultProgressDeadline Duration = "10m"

// Rollout is a RolloutPolicy (accord.dev/v1alpha1): in which order clusters get a change, and what has to be true before
// the next ones do. Without metadata.namespace it is for the whole fleet, with it for the objects of that namespace.
type Rollout struct {
	Meta
	Spec RolloutSpec
	// Commands are those of people, in annotations of the manifest.
	Commands []Command
}

// Title is "RolloutPolicy shop/web", or "RolloutPolicy standard" for one that is cluster-wide.
func (r *Rollout) Title() string { return "RolloutPolicy " + r.String() }

// RolloutSpec is .spec of a RolloutPolicy.
type RolloutSpec struct {
	// ResourceSelectors say which objects move together, as those of a PropagationPolicy do.
	ResourceSelectors []ResourceSelector `json:"resourceSelectors"`
	// Stages in the order in which they get a change. Every cluster with one of the objects is in exactly one of them.
	Stages []RolloutStage `json:"stages"`
	// FailureBudget is how many clusters of each stage may fail or be away without stopping the rollout.
	FailureBudget FailureBudget `json:"failureBudget,omitempty"`
	// ProgressDeadline is how long a cluster may take to become healthy; 10m when absent.
	ProgressDeadline Duration `json:"progressDeadline,omitempty"`
	// OnFailure is what happens beyond the budget for unhealthy clusters: Halt (the default) or Rollback.
	OnFailure string `json:"onFailure,omitempty"`
	// CatchUpPolicy is when a cluster that was held or unreachable while its stage had its turn gets the change: Immediately (the
	// default), straight to the newest, or WithStage, which takes the order back to its stage.
	CatchUpPolicy string `json:"catchUpPolicy,omitempty"`
	// Paused stops the rollout: no further cluster gets a change.
	Paused bool `json:"paused,omitempty"`
	// PauseReason is shown wherever the pause is reported. It has no effect by itself.
	PauseReason string `json:"pauseReason,omitempty"`
}

// RolloutStage is one step of the order.
type RolloutStage struct {
	Name string `json:"name"`
	// ClusterAffinity selects the clusters of the stage; absent, every cluster.
	ClusterAffinity *ClusterAffinity `json:"clusterAffinity,omitempty"`
	// First has the clusters of the stage that come first, in this order; the others follow by name.
	First []string `json:"first,omitempty"`
	// MaxConcurrency is how many clusters of the stage may be changing at the same time: a number, or a percentage of the
	// stage, rounded down and at least 1. All when absent.
	MaxConcurrency Amount `json:"maxConcurrency,omitempty"`
	// Gate is what has to be true before the stage is left, beside that its clusters are healthy.
	Gate RolloutGate `json:"gate,omitempty"`
	// ProgressDeadline is that of the policy when absent.
	ProgressDeadline Duration `json:"progressDeadline,omitempty"`
	// Paused stops the rollout at this stage: no further cluster of this stage and of later ones gets a change.
	Paused bool `json:"paused,omitempty"`
	// PauseReason is shown wherever the pause is reported. It has no effect by itself.
	PauseReason string `json:"pauseReason,omitempty"`
}

// RolloutGate is what has to be true before a stage is left. That clusters are healthy on what they were given always is
// part of it.
type RolloutGate struct {
	// SoakDuration is how long each cluster has to be healthy without interruption.
	SoakDuration Duration `json:"soakDuration,omitempty"`
	// Conditions are types of status.conditions. On each cluster each has to be True on every object of the rollout that has
	// it, and on one at least.
	Conditions []string `json:"conditions,omitempty"`
	// Job has to be complete on each cluster. It is one of the objects of the rollout.
	Job *RolloutJob `json:"job,omitempty"`
	// CEL is an expression over the list objects, those of the rollout on a cluster as they are reported, that has to be
	// true on each: objects.all(o, !has(o.status.failed)).
	CEL string `json:"cel,omitempty"`
	// Approval is Manual, or None (the default).
	Approval string `json:"approval,omitempty"`
	// Windows are when the gate may open; always when there is none.
	Windows []Window `json:"windows,omitempty"`
}

// RolloutJob names a Job.
type RolloutJob struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// FailureBudget says what a stage can bear. Each is a number of clusters, or a percentage of the stage, rounded down;
// none when absent.
type FailureBudget struct {
	// MaxUnhealthy counts clusters that got the change and are not healthy in time.
	MaxUnhealthy Amount `json:"maxUnhealthy,omitempty"`
	// MaxUnreachable counts clusters that are not heard from.
	MaxUnreachable Amount `json:"maxUnreachable,omitempty"`
}

// Deadline is how long a cluster of the stage may take to become healthy.
func (s *RolloutSpec) Deadline(stage RolloutStage) Duration {
	if stage.ProgressDeadline != "" {
		return stage.ProgressDeadline
	}
	if s.ProgressDeadline != "" {
		return s.ProgressDeadline
	}
	return DefaultProgressDeadline
}
