package policy

import (
	"strings"
)

// What people can order about a rollout.
const (
	CommandApprove  = "approve"  // the gate of a stage
	CommandAbort    = "abort"    // halt now
	CommandRollback = "rollback" // halt now, and give the clusters back what they had
	CommandResume   = "resume"   // try again what was halted or rolled back
)

// CommandPrefix plus what is ordered is the annotation of an order, on the RolloutPolicy or on the Release. Its value is
// "<target>", for a stage "<target>@<stage>"; several are separated by commas.
const CommandPrefix = "rollout.accord.dev/"

// Command is one order of a person about a rollout. It is about one target: what would be rolled out, to where. When that
// changes, the order has no meaning any more.
type Command struct {
	// Do is OrderApprove, OrderAbort, OrderRollback or OrderResume.
	Do string `json:"do"`
	// RolloutID is the digest of the rollout, or its first 12 hexadecimal digits or more.
	RolloutID string `json:"rolloutID"`
	// Stage that is approved. The other orders are obeyed once; there it is any text that tells this one from an earlier one.
	Stage string `json:"stage,omitempty"`
}

// String is "approve 1f0c9e21aa04@europe".
func (o Command) String() string {
	if o.Stage == "" {
		return o.Do + " " + o.RolloutID
	}
	return o.Do + " " + o.RolloutID + "@" + o.Stage
}

// About says whether the order is about this target, "sha256:<hex>".
func (o Command) About(target string) bool {
	const least = 12
	hex := strings.TrimPrefix(o.RolloutID, "sha256:")
	return len(hex) >= least && strings.HasPrefix(strings.TrimPrefix(target, "sha256:"), hex)
}

// CommandsIn are the orders in annotations. What is no order is left out.
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
