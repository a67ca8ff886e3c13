package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// RolloutStatus says how far the objects of one RolloutPolicy are with a Release.
type RolloutStatus struct {
	// Policy is the RolloutPolicy: "standard", or "shop/web" for one of a namespace.
	Policy string `json:"policy"`
	// ID is what orders of people name: 12 hexadecimal digits of what is rolled out, to where.
	ID string `json:"id,omitempty"`
	// Phase is Complete, Progressing, Soaking, WaitingForApproval, WaitingForWindow, Paused, Halted or RolledBack.
	Phase string `json:"phase"`
	// Reason is why, in one word: that of the verdict, or ProgressDeadlineExceeded, FailureBudgetExceeded, Aborted,
	// ClustersUnreachable, InvalidSpec or Held.
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	// Terminal says that only Git or an order of a person can make it go on.
	Terminal bool `json:"terminal,omitempty"`
	// Stage that has its turn, or that failed; empty when all were left. Number counts it from 1.
	Stage      string `json:"stage,omitempty"`
	StageIndex int32  `json:"stageIndex,omitempty"`
	// StartedAt is when this target appeared.
	StartedAt *metav1.Time `json:"startedAt,omitempty"`
	// CompletedAt is when the last stage was left.
	CompletedAt *metav1.Time `json:"completedAt,omitempty"`
	// Stages in order, at most sixteen.
	// +kubebuilder:validation:MaxItems=16
	Stages []StageStatus `json:"stages,omitempty"`
	// StagesOmitted counts the stages that are not in Stages.
	StagesOmitted int32 `json:"stagesOmitted,omitempty"`
	// WaitingFor is absent only when the rollout is complete.
	WaitingFor *WaitingFor `json:"waitingFor,omitempty"`
	// OutdatedClusters are the clusters that do not run what is wanted although the rollout is complete, at most ten.
	// +kubebuilder:validation:MaxItems=10
	OutdatedClusters []string `json:"outdatedClusters,omitempty"`
	// OutdatedClustersOmitted counts the clusters that are not in Behind.
	OutdatedClustersOmitted int32 `json:"outdatedClustersOmitted,omitempty"`
	// RollbackRevisions are the revisions that clusters were given back by a rollback, at most ten.
	// +kubebuilder:validation:MaxItems=10
	RollbackRevisions []string `json:"rollbackRevisions,omitempty"`
}

// StageStatus counts the clusters of one stage.
type StageStatus struct {
	Name string `json:"name"`
	// Clusters in all. Of these Given have got the wanted version, and Healthy are healthy on it.
	Clusters        int32 `json:"clusters"`
	UpdatedClusters int32 `json:"updatedClusters"`
	Healthy         int32 `json:"healthy"`
	// Failing, Held and Unreachable are passed over, as far as the budget goes.
	Failing     int32 `json:"failing,omitempty"`
	Held        int32 `json:"held,omitempty"`
	Unreachable int32 `json:"unreachable,omitempty"`
	// StartedAt is when the stage got its turn, Passed when it was left.
	StartedAt   *metav1.Time `json:"startedAt,omitempty"`
	CompletedAt *metav1.Time `json:"completedAt,omitempty"`
	// Message is one line for people: "waits for europe".
	Message string `json:"message,omitempty"`
}

// DeliveryRollout is what one cluster was given of one rollout, and what is remembered of that. It is written before
// the cluster is.
type DeliveryRollout struct {
	// Policy is the RolloutPolicy: "standard", or "shop/web" for one of a namespace.
	Policy string `json:"policy"`
	// Stage of the cluster; empty when it is in none, or in more than one.
	Stage string `json:"stage,omitempty"`
	// Current is the version that the cluster was given last, and At when; absent for what was there before.
	// +optional
	Current   RolloutVersion    `json:"current,omitzero"`
	UpdatedAt *metav1.MicroTime `json:"updatedAt,omitempty"`
	// HealthySince is since when the cluster has been healthy on Given, Unhealthy since when it is known not to be.
	HealthySince   *metav1.MicroTime `json:"healthySince,omitempty"`
	UnhealthySince *metav1.MicroTime `json:"unhealthySince,omitempty"`
	// GatePassedAt is when all was true that the gate asks of a cluster, and Gated that the stage was left since.
	GatePassedAt   *metav1.MicroTime `json:"gatePassedAt,omitempty"`
	StageCompleted bool              `json:"stageCompleted,omitempty"`
	// UnavailableSince is since when the cluster has been held by people or unreachable.
	UnavailableSince *metav1.MicroTime `json:"unavailableSince,omitempty"`
	// LastHealthy is the version before Given that was healthy there last: where a rollback goes.
	LastHealthy *RolloutVersion `json:"lastHealthy,omitempty"`
	// Dependencies are the objects of Given that are there for the sake of others, as "<namespace>_<name>_<group>_<kind>".
	Dependencies []string `json:"dependencies,omitempty"`
	// Held says that hands are off, Restored that this version is given back: what the replica that holds the cluster obeys.
	Held       bool            `json:"held,omitempty"`
	RollbackTo *RolloutVersion `json:"rollbackTo,omitempty"`
}

// RolloutVersion is a rendered result on a cluster, and where in Git it came from.
type RolloutVersion struct {
	Digest   string `json:"digest,omitempty"`
	Revision string `json:"revision,omitempty"`
}

// RolloutState is what is remembered of one rollout beside what stands in the Deliveries.
type RolloutState struct {
	// Policy is the RolloutPolicy: "standard", or "shop/web" for one of a namespace.
	Policy string `json:"policy"`
	// ID identifies what is rolled out, to where, and Revision is the commit in which it appeared first.
	ID       string `json:"id,omitempty"`
	Revision string `json:"revision,omitempty"`
	// PolicyDigest identifies what the RolloutPolicy said.
	PolicyDigest string `json:"policyDigest,omitempty"`
	// StartedAt is when Target appeared, Chain when the first of the targets that were not completed before the next.
	StartedAt      *metav1.MicroTime `json:"startedAt,omitempty"`
	FirstPendingAt *metav1.MicroTime `json:"firstPendingAt,omitempty"`
	// Stage is the one that was entered last, and Entered when.
	Stage          string            `json:"stage,omitempty"`
	StageStartedAt *metav1.MicroTime `json:"stageStartedAt,omitempty"`
	// StagesCompletedAt is when each stage was left last.
	StagesCompletedAt map[string]metav1.MicroTime `json:"stagesCompletedAt,omitempty"`
	// CompletedAt is when the last stage was left.
	CompletedAt *metav1.MicroTime `json:"completedAt,omitempty"`
	// Failure is why nothing goes on.
	Failure *RolloutFailure `json:"failure,omitempty"`
	// HandledCommands are the orders that are obeyed only once, and were.
	HandledCommands []string `json:"handledCommands,omitempty"`
}

// RolloutFailure is why a rollout does not go on, until what failed changes in Git or a person orders it to.
type RolloutFailure struct {
	At metav1.MicroTime `json:"at"`
	// Stage that failed, and the reason in one word.
	Stage   string `json:"stage,omitempty"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
	// Revision that failed.
	Revision string `json:"revision,omitempty"`
	// RolledBack says that clusters were given back what they had.
	RolledBack bool `json:"rolledBack,omitempty"`
	// FailedClusters are the clusters that failed, with the digest that did.
	FailedClusters map[string]string `json:"failedClusters,omitempty"`
}
