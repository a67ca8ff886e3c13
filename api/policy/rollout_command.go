package policy

import (
	"strings"
)

// Commands about a rollout.
const (
	CommandApprove  = "approve"  // open the gate of a stage
	CommandAbort    = "abort"    // halt now
	CommandRollback = "rollback" // halt now and roll the clusters back
	CommandResume   = "resume"   // retry after a halt or a rollback
)

// CommandPrefix plus the verb is the annotation of a command, on the RolloutPolicy or on the Release. Its value is
// "<rollout ID>", for a stage "<rollout ID>@<stage>"; commas separate several.
const CommandPrefix = "rollout.accord.dev/"

// ReplacedSuspensionAnnotation on a propagation policy has the clusters of spec.suspension.dispatchingOnClusters, with commas,
// while "accord suspend" suspends the policy on every cluster. "accord resume" restores them.
const ReplacedSuspensionAnnotation = "accord.dev/dispatching-on-clusters"

// Command is a command of a person about one rollout. It expires when the rollout ID changes, that is, when another
// change would be rolled out or to other clusters.
type Command struct {
	// Do is CommandApprove, CommandAbort, CommandRollback or CommandResume.
	Do string `json:"do"`
	// RolloutID is the digest of the rollout, or its first 12 hexadecimal digits or more.
	RolloutID string `json:"rolloutID"`
	// Stage is the approved stage. The other commands are executed once; for them it is any text that distinguishes a
	// command from an earlier one.
	Stage string `json:"stage,omitempty"`
}

// String returns "approve 1f0c9e21aa04@europe".
func (o Command) String() string {
	if o.Stage == "" {
		return o.Do + " " + o.RolloutID
	}
	return o.Do + " " + o.RolloutID + "@" + o.Stage
}

// About reports whether the command concerns the rollout with this ID, "sha256:<hex>".
func (o Command) About(target string) bool {
	const least = 12
	hex := strings.TrimPrefix(o.RolloutID, "sha256:")
	return len(hex) >= least && strings.HasPrefix(strings.TrimPrefix(target, "sha256:"), hex)
}

// CommandsIn returns the commands in annotations and ignores all others.
func CommandsIn(annotations map[string]string) []Command {
	var orders []Command
	for _, do := range []string{CommandApprove, CommandAbort, CommandRollback, CommandResume} {
		for value := range strings.SplitSeq(annotations[CommandPrefix+do], ",") {
			target, stage, _ := strings.Cut(strings.TrimSpace(value), "@")
			if target != "" {
				orders = append(orders, Command{Do: do, RolloutID: target, Stage: stage})
			}
		}
	}
	return orders
}
