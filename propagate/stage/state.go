package stage

import "time"

// State is what has to be remembered between two decisions about one rollout. It is written to the hub as it is; what is
// in Clusters is at most a few hundred bytes each, and belongs in the Delivery to that cluster where all in one object would be
// too much. Decide returns an equal State as long as nothing happens.
type State struct {
	// ID identifies what is rolled out, to where: "sha256:<hex>" over the wanted versions of all clusters.
	ID string `json:"id,omitempty"`
	// Revision is the commit in which Target appeared first.
	Revision string `json:"revision,omitempty"`
	// PolicyDigest is the digest of what the RolloutPolicy said.
	PolicyDigest string `json:"policyDigest,omitempty"`
	// StartedAt is when Target appeared, or was resumed after a rollback; Chain is when the first of the targets appeared that were not completed before the next.
	StartedAt      time.Time `json:"startedAt,omitzero"`
	FirstPendingAt time.Time `json:"firstPendingAt,omitzero"`
	// Stage is the one that was entered last for Target; empty when none was. Entered is when.
	Stage          string    `json:"stage,omitempty"`
	StageStartedAt time.Time `json:"stageStartedAt,omitzero"`
	// StagesCompletedAt is when each stage was left last.
	StagesCompletedAt map[string]time.Time `json:"stagesCompletedAt,omitempty"`
	// CompletedAt is when the last stage was left; zero while the rollout is under way.
	CompletedAt time.Time `json:"completedAt,omitzero"`
	// Failure is why nothing goes on.
	Failure *Failure `json:"failure,omitempty"`
	// HandledCommands are the orders about Target that were obeyed and are obeyed only once.
	HandledCommands []string `json:"handledCommands,omitempty"`
	// Clusters by name.
	Clusters map[string]ClusterState `json:"clusters,omitempty"`
}

// ClusterState is what is remembered of one cluster.
type ClusterState struct {
	// Current is the version that the cluster was given last.
	Current Version `json:"current,omitzero"`
	// UpdatedAt is when; zero for what was there before the rollout had anything to say.
	UpdatedAt time.Time `json:"updatedAt,omitzero"`
	// HealthySince is since when the cluster has been healthy on Given without interruption, as far as it is known.
	HealthySince time.Time `json:"healthySince,omitzero"`
	// UnhealthySince is since when it has been known not to be.
	UnhealthySince time.Time `json:"unhealthySince,omitzero"`
	// GatePassedAt is when all was true that the gate asks of a cluster; it stays. What was there before the rollout had anything
	// to say has passed as soon as it is healthy.
	GatePassedAt time.Time `json:"gatePassedAt,omitzero"`
	// StageCompleted says that the stage was left since the cluster got Given.
	StageCompleted bool `json:"stageCompleted,omitempty"`
	// UnavailableSince is since when the cluster has been held by people or unreachable; zero when it is neither.
	UnavailableSince time.Time `json:"unavailableSince,omitzero"`
	// LastHealthy is the version before Given that was healthy there last: where a rollback goes.
	LastHealthy *Version `json:"lastHealthy,omitempty"`
}

// Failure is why a rollout does not go on, until what failed changes in Git or a person orders it to.
type Failure struct {
	At time.Time `json:"at"`
	// Stage that failed, and the reason in one word: ProgressDeadlineExceeded, FailureBudgetExceeded or Aborted.
	Stage  string `json:"stage,omitempty"`
	Reason string `json:"reason"`
	// Message is a sentence, with the place in the policy that drew the line.
	Message string `json:"message"`
	// Revision that failed.
	Revision string `json:"revision,omitempty"`
	// RolledBack says that clusters were given back what they had.
	RolledBack bool `json:"rolledBack,omitempty"`
	// FailedClusters are the clusters that failed, with the digest that did.
	FailedClusters map[string]string `json:"failedClusters,omitempty"`
}
