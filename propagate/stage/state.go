package stage

import "time"

// State is the state of one rollout between two decisions. The controller stores it on the hub unchanged. Clusters has a few
// hundred bytes per cluster and is stored in the Delivery of each cluster, because one object could not hold all. Decide
// returns an equal State as long as nothing happens.
type State struct {
	// ID identifies the rollout: "sha256:<hex>" over the wanted versions of all clusters.
	ID string `json:"id,omitempty"`
	// Revision is the commit that started the rollout.
	Revision string `json:"revision,omitempty"`
	// PolicyDigest is the digest of the spec of the RolloutPolicy, without its pauses.
	PolicyDigest string `json:"policyDigest,omitempty"`
	// StartedAt is the time at which the rollout started, or was resumed after a rollback.
	StartedAt time.Time `json:"startedAt,omitzero"`
	// FirstPendingAt is the start of the first rollout in an unbroken series of superseded rollouts.
	FirstPendingAt time.Time `json:"firstPendingAt,omitzero"`
	// Stage is the stage of this rollout that started last; empty when none did.
	Stage string `json:"stage,omitempty"`
	// StageStartedAt is the time at which Stage started.
	StageStartedAt time.Time `json:"stageStartedAt,omitzero"`
	// StagesCompletedAt has the time at which each stage completed last.
	StagesCompletedAt map[string]time.Time `json:"stagesCompletedAt,omitempty"`
	// CompletedAt is the time at which the last stage completed; zero while the rollout is in progress.
	CompletedAt time.Time `json:"completedAt,omitzero"`
	// Failure that stopped the rollout.
	Failure *Failure `json:"failure,omitempty"`
	// HandledCommands are the commands about this rollout that were carried out.
	HandledCommands []string `json:"handledCommands,omitempty"`
	// Clusters by name.
	Clusters map[string]ClusterState `json:"clusters,omitempty"`
}

// ClusterState is the state of one cluster between two decisions.
type ClusterState struct {
	// Current is the version that the cluster got last.
	Current Version `json:"current,omitzero"`
	// UpdatedAt is the time at which the cluster got Current; zero for a version that was there before the rollout.
	UpdatedAt time.Time `json:"updatedAt,omitzero"`
	// HealthySince is the time from which the cluster has been known to be healthy on Current without interruption.
	HealthySince time.Time `json:"healthySince,omitzero"`
	// UnhealthySince is the time from which the cluster has been known to be unhealthy.
	UnhealthySince time.Time `json:"unhealthySince,omitzero"`
	// GatePassedAt is the time at which the cluster met every requirement of the gate; it stays. A version that was there before
	// the rollout passes as soon as it is healthy.
	GatePassedAt time.Time `json:"gatePassedAt,omitzero"`
	// StageCompleted reports whether the stage has completed since the cluster got Current.
	StageCompleted bool `json:"stageCompleted,omitempty"`
	// UnavailableSince is the time from which people have held the cluster or it has been unreachable; zero when neither applies.
	UnavailableSince time.Time `json:"unavailableSince,omitzero"`
	// WasHealthy reports whether the cluster was healthy on Current when it became unreachable; false while it is reachable.
	WasHealthy bool `json:"wasHealthy,omitempty"`
	// LastHealthy is the last healthy version before Current, to which a rollback returns.
	LastHealthy *Version `json:"lastHealthy,omitempty"`
}

// Failure stops a rollout until the failed objects change in Git or a person resumes the rollout.
type Failure struct {
	At time.Time `json:"at"`
	// Stage that failed.
	Stage string `json:"stage,omitempty"`
	// Reason is ProgressDeadlineExceeded, FailureBudgetExceeded, Aborted or RolledBack.
	Reason string `json:"reason"`
	// Message is a sentence with the position of the limit in the policy.
	Message string `json:"message"`
	// Revision that failed.
	Revision string `json:"revision,omitempty"`
	// RolledBack reports whether the clusters are rolled back.
	RolledBack bool `json:"rolledBack,omitempty"`
	// FailedClusters are the clusters that failed, with the digest of the failed version.
	FailedClusters map[string]string `json:"failedClusters,omitempty"`
}

// HealthyVersion returns the version that was healthy on the cluster last: the current one, if it is healthy, was healthy when the cluster
// became unreachable, passed its gate, or was there before every rollout. Without any that was, it returns the current version.
func (c ClusterState) HealthyVersion() Version {
	if c.LastHealthy == nil || c.UpdatedAt.IsZero() || c.WasHealthy || !c.HealthySince.IsZero() || !c.GatePassedAt.IsZero() {
		return c.Current
	}
	return *c.LastHealthy
}
