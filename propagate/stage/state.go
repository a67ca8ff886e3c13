package stage

import "time"

// State is what has to be remembered between two decisions about one rollout. It is written to the hub as it is; what is
// in Clusters is at most a few hundred bytes each, and belongs in the Delivery to that cluster where all in one object would be
// too much. Decide returns an equal State as long as nothing happens.
type State struct {
	// Target identifies what is rolled out, to where: "sha256:<hex>" over the wanted versions of all clusters.
	Target string `json:"target,omitempty"`
	// Revision is the commit in which Target appeared first.
	Revision string `json:"revision,omitempty"`
	// Policy is the digest of what the RolloutPolicy said.
	Policy string `json:"policy,omitempty"`
	// Began is when Target appeared, or was resumed after a rollback; Chain is when the first of the targets appeared that were not completed before the next.
	Began time.Time `json:"began,omitzero"`
	Chain time.Time `json:"chain,omitzero"`
	// Stage is the one that was entered last for Target; empty when none was. Entered is when.
	Stage   string    `json:"stage,omitempty"`
	Entered time.Time `json:"entered,omitzero"`
	// Passed is when each stage was left last.
	Passed map[string]time.Time `json:"passed,omitempty"`
	// Completed is when the last stage was left; zero while the rollout is under way.
	Completed time.Time `json:"completed,omitzero"`
	// Failure is why nothing goes on.
	Failure *Failure `json:"failure,omitempty"`
	// Obeyed are the orders about Target that were obeyed and are obeyed only once.
	Obeyed []string `json:"obeyed,omitempty"`
	// Clusters by name.
	Clusters map[string]Memory `json:"clusters,omitempty"`
}

// Memory is what is remembered of one cluster.
type Memory struct {
	// Given is the version that the cluster was given last.
	Given Version `json:"given,omitzero"`
	// At is when; zero for what was there before the rollout had anything to say.
	At time.Time `json:"at,omitzero"`
	// Healthy is since when the cluster has been healthy on Given without interruption, as far as it is known.
	Healthy time.Time `json:"healthy,omitzero"`
	// Unhealthy is since when it has been known not to be.
	Unhealthy time.Time `json:"unhealthy,omitzero"`
	// Passed is when all was true that the gate asks of a cluster; it stays. What was there before the rollout had anything
	// to say has passed as soon as it is healthy.
	Passed time.Time `json:"passed,omitzero"`
	// Gated says that the stage was left since the cluster got Given.
	Gated bool `json:"gated,omitempty"`
	// Away is since when the cluster has been held by people or unreachable; zero when it is neither.
	Away time.Time `json:"away,omitzero"`
	// Good is the version before Given that was healthy there last: where a rollback goes.
	Good *Version `json:"good,omitempty"`
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
	// Culprits are the clusters that failed, with the digest that did.
	Culprits map[string]string `json:"culprits,omitempty"`
}
