package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// RolloutStatus says how far the objects of one RolloutPolicy are with a Release.
type RolloutStatus struct {
	// Policy is the RolloutPolicy: "standard", or "shop/web" for one of a namespace.
	Policy string `json:"policy"`
	// Target is what orders of people name: 12 hexadecimal digits of what is rolled out, to where.
	Target string `json:"target,omitempty"`
	// Verdict is Complete, Progressing, Soaking, WaitingForApproval, WaitingForWindow, Paused, Halted or RolledBack.
	Verdict string `json:"verdict"`
	// Reason is why, in one word: that of the verdict, or ProgressDeadlineExceeded, FailureBudgetExceeded, Aborted,
	// ClustersUnreachable, InvalidSpec or Held.
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	// Final says that only Git or an order of a person can make it go on.
	Final bool `json:"final,omitempty"`
	// Stage that has its turn, or that failed; empty when all were left. Number counts it from 1.
	Stage  string `json:"stage,omitempty"`
	Number int32  `json:"number,omitempty"`
	// Began is when this target appeared.
	Began *metav1.Time `json:"began,omitempty"`
	// Completed is when the last stage was left.
	Completed *metav1.Time `json:"completed,omitempty"`
	// Stages in order, at most sixteen.
	// +kubebuilder:validation:MaxItems=16
	Stages []StageStatus `json:"stages,omitempty"`
	// StagesOmitted counts the stages that are not in Stages.
	StagesOmitted int32 `json:"stagesOmitted,omitempty"`
	// WaitingFor is absent only when the rollout is complete.
	WaitingFor *WaitingFor `json:"waitingFor,omitempty"`
	// Behind are the clusters that do not run what is wanted although the rollout is complete, at most ten.
	// +kubebuilder:validation:MaxItems=10
	Behind []string `json:"behind,omitempty"`
	// BehindOmitted counts the clusters that are not in Behind.
	BehindOmitted int32 `json:"behindOmitted,omitempty"`
	// Running are the revisions that clusters were given back by a rollback, at most ten.
	// +kubebuilder:validation:MaxItems=10
	Running []string `json:"running,omitempty"`
}

// StageStatus counts the clusters of one stage.
type StageStatus struct {
	Name string `json:"name"`
	// Clusters in all. Of these Given have got the wanted version, and Healthy are healthy on it.
	Clusters int32 `json:"clusters"`
	Given    int32 `json:"given"`
	Healthy  int32 `json:"healthy"`
	// Failing, Held and Unreachable are passed over, as far as the budget goes.
	Failing     int32 `json:"failing,omitempty"`
	Held        int32 `json:"held,omitempty"`
	Unreachable int32 `json:"unreachable,omitempty"`
	// Began is when the stage got its turn, Passed when it was left.
	Began  *metav1.Time `json:"began,omitempty"`
	Passed *metav1.Time `json:"passed,omitempty"`
	// Note is one line for people: "waits for europe".
	Note string `json:"note,omitempty"`
}

// DeliveryRollout is what one cluster was given of one rollout, and what is remembered of that. It is written before
// the cluster is.
type DeliveryRollout struct {
	// Policy is the RolloutPolicy: "standard", or "shop/web" for one of a namespace.
	Policy string `json:"policy"`
	// Stage of the cluster; empty when it is in none, or in more than one.
	Stage string `json:"stage,omitempty"`
	// Given is the version that the cluster was given last, and At when; absent for what was there before.
	// +optional
	Given RolloutVersion    `json:"given,omitzero"`
	At    *metav1.MicroTime `json:"at,omitempty"`
	// Healthy is since when the cluster has been healthy on Given, Unhealthy since when it is known not to be.
	Healthy   *metav1.MicroTime `json:"healthy,omitempty"`
	Unhealthy *metav1.MicroTime `json:"unhealthy,omitempty"`
	// Passed is when all was true that the gate asks of a cluster, and Gated that the stage was left since.
	Passed *metav1.MicroTime `json:"passed,omitempty"`
	Gated  bool              `json:"gated,omitempty"`
	// Away is since when the cluster has been held by people or unreachable.
	Away *metav1.MicroTime `json:"away,omitempty"`
	// Good is the version before Given that was healthy there last: where a rollback goes.
	Good *RolloutVersion `json:"good,omitempty"`
	// Along are the objects of Given that are there for the sake of others, as "<namespace>_<name>_<group>_<kind>".
	Along []string `json:"along,omitempty"`
	// Held says that hands are off, Restored that this version is given back: what the replica that holds the cluster obeys.
	Held     bool            `json:"held,omitempty"`
	Restored *RolloutVersion `json:"restored,omitempty"`
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
	// Target identifies what is rolled out, to where, and Revision is the commit in which it appeared first.
	Target   string `json:"target,omitempty"`
	Revision string `json:"revision,omitempty"`
	// PolicyDigest identifies what the RolloutPolicy said.
	PolicyDigest string `json:"policyDigest,omitempty"`
	// Began is when Target appeared, Chain when the first of the targets that were not completed before the next.
	Began *metav1.MicroTime `json:"began,omitempty"`
	Chain *metav1.MicroTime `json:"chain,omitempty"`
	// Stage is the one that was entered last, and Entered when.
	Stage   string            `json:"stage,omitempty"`
	Entered *metav1.MicroTime `json:"entered,omitempty"`
	// Passed is when each stage was left last.
	Passed map[string]metav1.MicroTime `json:"passed,omitempty"`
	// Completed is when the last stage was left.
	Completed *metav1.MicroTime `json:"completed,omitempty"`
	// Failure is why nothing goes on.
	Failure *RolloutFailure `json:"failure,omitempty"`
	// Obeyed are the orders that are obeyed only once, and were.
	Obeyed []string `json:"obeyed,omitempty"`
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
	// Culprits are the clusters that failed, with the digest that did.
	Culprits map[string]string `json:"culprits,omitempty"`
}
