package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// RolloutStatus is the progress of the objects of one RolloutPolicy in a Release.
type RolloutStatus struct {
	// Policy is the RolloutPolicy: "standard", or "shop/web" for one of a namespace.
	Policy string `json:"policy"`
	// ID identifies the rollout in commands such as "accord approve": "sha256:" and 64 hexadecimal digits, a digest of the
	// wanted versions of all clusters.
	ID string `json:"id,omitempty"`
	// Phase is Complete, Progressing, Soaking, WaitingForApproval, WaitingForWindow, Paused, Halted or RolledBack.
	Phase string `json:"phase"`
	// Reason of the phase in one word: the phase itself, or ProgressDeadlineExceeded, FailureBudgetExceeded, Aborted,
	// ClustersUnreachable, InvalidSpec or Held.
	Reason string `json:"reason,omitempty"`
	// Message is the reason of the phase.
	Message string `json:"message,omitempty"`
	// Terminal reports whether the rollout continues only after a change in Git or a command of a person.
	Terminal bool `json:"terminal,omitempty"`
	// Stage is the current or failed stage; empty when all stages are complete.
	Stage string `json:"stage,omitempty"`
	// StageIndex is the position of Stage in the policy, from 1; absent without Stage.
	StageIndex int32 `json:"stageIndex,omitempty"`
	// StartedAt is the time at which this rollout started.
	StartedAt *metav1.Time `json:"startedAt,omitempty"`
	// CompletedAt is the time at which the last stage completed.
	CompletedAt *metav1.Time `json:"completedAt,omitempty"`
	// Stages in order, at most sixteen.
	// +kubebuilder:validation:MaxItems=16
	Stages []StageStatus `json:"stages,omitempty"`
	// StagesOmitted counts the stages that are not in Stages.
	StagesOmitted int32 `json:"stagesOmitted,omitempty"`
	// WaitingFor is absent only when the rollout is complete.
	WaitingFor *WaitingFor `json:"waitingFor,omitempty"`
	// OutdatedClusters do not run the wanted version although the rollout is complete, at most ten.
	// +kubebuilder:validation:MaxItems=10
	OutdatedClusters []string `json:"outdatedClusters,omitempty"`
	// OutdatedClustersOmitted counts the clusters that are not in OutdatedClusters.
	OutdatedClustersOmitted int32 `json:"outdatedClustersOmitted,omitempty"`
	// RollbackRevisions are the revisions to which clusters were rolled back, at most ten.
	// +kubebuilder:validation:MaxItems=10
	RollbackRevisions []string `json:"rollbackRevisions,omitempty"`
}

// StageStatus counts the clusters of one stage.
type StageStatus struct {
	// Name of the stage.
	Name string `json:"name"`
	// Clusters of the stage in total.
	Clusters int32 `json:"clusters"`
	// UpdatedClusters got the wanted version.
	UpdatedClusters int32 `json:"updatedClusters"`
	// Healthy counts the updated clusters that are healthy.
	Healthy int32 `json:"healthy"`
	// Failing counts the updated clusters that did not become healthy in time. The stage can complete without the clusters
	// that are failing, held or unreachable, within the failure budget.
	Failing int32 `json:"failing,omitempty"`
	// Held counts the clusters of the stage that are held.
	Held int32 `json:"held,omitempty"`
	// Unreachable counts the clusters of the stage that do not answer.
	Unreachable int32 `json:"unreachable,omitempty"`
	// StartedAt is the time at which the stage started.
	StartedAt *metav1.Time `json:"startedAt,omitempty"`
	// CompletedAt is the time at which the stage completed.
	CompletedAt *metav1.Time `json:"completedAt,omitempty"`
	// Message is one line about the stage: "waits for europe".
	Message string `json:"message,omitempty"`
}

// DeliveryRollout is the state of one cluster in one rollout. The controller writes it before it changes the cluster.
type DeliveryRollout struct {
	// Policy is the RolloutPolicy: "standard", or "shop/web" for one of a namespace.
	Policy string `json:"policy"`
	// Stage of the cluster; empty when the cluster is in no stage, or in more than one.
	Stage string `json:"stage,omitempty"`
	// Current is the version that the cluster got last.
	// +optional
	Current RolloutVersion `json:"current,omitzero"`
	// UpdatedAt is the time at which the cluster got Current; absent when Current was there before the rollout.
	UpdatedAt *metav1.MicroTime `json:"updatedAt,omitempty"`
	// HealthySince is the time at which the cluster became healthy on Current; absent while it is not.
	HealthySince *metav1.MicroTime `json:"healthySince,omitempty"`
	// UnhealthySince is the time at which the cluster was first known to be unhealthy on Current; absent while it is healthy.
	UnhealthySince *metav1.MicroTime `json:"unhealthySince,omitempty"`
	// GatePassedAt is the time at which the cluster fulfilled every requirement of the gate.
	GatePassedAt *metav1.MicroTime `json:"gatePassedAt,omitempty"`
	// StageCompleted reports whether the stage has completed since the cluster got Current.
	StageCompleted bool `json:"stageCompleted,omitempty"`
	// WasHealthy reports whether the cluster was healthy on Current when it became unreachable.
	WasHealthy bool `json:"wasHealthy,omitempty"`
	// UnavailableSince is the time at which the cluster became held or unreachable; absent while it is neither.
	UnavailableSince *metav1.MicroTime `json:"unavailableSince,omitempty"`
	// LastHealthy is the last healthy version before Current, to which a rollback returns.
	LastHealthy *RolloutVersion `json:"lastHealthy,omitempty"`
	// Dependencies are the objects of Current that other objects need, as "<namespace>_<name>_<group>_<kind>".
	Dependencies []string `json:"dependencies,omitempty"`
	// Held reports whether the executor of the cluster must not change these objects.
	Held bool `json:"held,omitempty"`
	// Keeps reports whether the executor of a held cluster repairs these objects to Current.
	Keeps bool `json:"keeps,omitempty"`
	// RollbackTo is the version to which the executor of the cluster rolls back; absent without a rollback.
	RollbackTo *RolloutVersion `json:"rollbackTo,omitempty"`
	// MovedRevision is the revision of the objects that evictions bring to the cluster before its turn; absent without such objects.
	MovedRevision string `json:"movedRevision,omitempty"`
}

// RolloutVersion is a rendered result on a cluster, and the revision in Git that it was rendered from.
type RolloutVersion struct {
	// Digest of the rendered objects.
	Digest string `json:"digest,omitempty"`
	// Revision that the objects were rendered from.
	Revision string `json:"revision,omitempty"`
}

// RolloutState is the state of one rollout. The state of each cluster is in its Delivery.
type RolloutState struct {
	// Policy is the RolloutPolicy: "standard", or "shop/web" for one of a namespace.
	Policy string `json:"policy"`
	// ID identifies the rollout: a digest of the wanted versions of all clusters.
	ID string `json:"id,omitempty"`
	// Revision is the commit that started the rollout.
	Revision string `json:"revision,omitempty"`
	// PolicyDigest identifies the spec of the RolloutPolicy, without its pauses.
	PolicyDigest string `json:"policyDigest,omitempty"`
	// StartedAt is the time at which the rollout started.
	StartedAt *metav1.MicroTime `json:"startedAt,omitempty"`
	// FirstPendingAt is the start of the first rollout in an unbroken series of superseded rollouts; it equals
	// StartedAt if the previous rollout completed.
	FirstPendingAt *metav1.MicroTime `json:"firstPendingAt,omitempty"`
	// Stage is the stage that started last.
	Stage string `json:"stage,omitempty"`
	// StageStartedAt is the time at which Stage started.
	StageStartedAt *metav1.MicroTime `json:"stageStartedAt,omitempty"`
	// StagesCompletedAt is the time at which each stage completed last, by the name of the stage.
	StagesCompletedAt map[string]metav1.MicroTime `json:"stagesCompletedAt,omitempty"`
	// CompletedAt is the time at which the last stage completed.
	CompletedAt *metav1.MicroTime `json:"completedAt,omitempty"`
	// Failure that stopped the rollout.
	Failure *RolloutFailure `json:"failure,omitempty"`
	// HandledCommands are the commands that were carried out. Each is carried out once.
	HandledCommands []string `json:"handledCommands,omitempty"`
}

// RolloutFailure stops a rollout until the failed objects change in Git or a person resumes the rollout.
type RolloutFailure struct {
	// At is the time of the failure.
	At metav1.MicroTime `json:"at"`
	// Stage that failed.
	Stage string `json:"stage,omitempty"`
	// Reason in one word.
	Reason string `json:"reason"`
	// Message is the reason of the failure.
	Message string `json:"message"`
	// Revision that failed.
	Revision string `json:"revision,omitempty"`
	// RolledBack reports whether the clusters were rolled back.
	RolledBack bool `json:"rolledBack,omitempty"`
	// FailedClusters are the clusters that failed, with the digest of the failed version.
	FailedClusters map[string]string `json:"failedClusters,omitempty"`
}
