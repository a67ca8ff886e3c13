package policy

import (
	"fmt"
	"regexp"
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

// CommandByAnnotation on a Release is the name of the user who wrote the commands there. The API server of the hub compares it with the
// user of the request: package api/admission has the policy. In Git the commit has the author.
const CommandByAnnotation = CommandPrefix + "by"

// ReplacedSuspensionAnnotation on a propagation policy has the clusters of spec.suspension.dispatchingOnClusters, with commas,
// while "accord suspend" suspends the policy on every cluster. "accord resume" restores them.
const ReplacedSuspensionAnnotation = "accord.dev/dispatching-on-clusters"

// Command is a command of a person about one rollout. It expires when the rollout ID changes, that is, when another
// change would be rolled out or to other clusters.
type Command struct {
	// Do is CommandApprove, CommandAbort, CommandRollback or CommandResume.
	Do string `json:"do"`
	// RolloutID is the digest of the rollout: "sha256:" and 64 hexadecimal digits. A part of it could name two rollouts that
	// the author of both has made to begin alike.
	RolloutID string `json:"rolloutID"`
	// Stage is the approved stage. The other commands are executed once; for them it is any text that distinguishes a
	// command from an earlier one.
	Stage string `json:"stage,omitempty"`
	// By is the user who wrote the command on the hub; empty for a command in Git.
	By string `json:"by,omitempty"`
}

// String returns "approve sha256:<hex>@europe".
func (o Command) String() string {
	if o.Stage == "" {
		return o.Do + " " + o.RolloutID
	}
	return o.Do + " " + o.RolloutID + "@" + o.Stage
}

// About reports whether the command concerns the rollout with this ID.
func (o Command) About(id string) bool {
	return rolloutID.MatchString(o.RolloutID) && o.RolloutID == id
}

var rolloutID = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

// Check returns an error for a RolloutID that is not complete.
func (o Command) Check() error {
	if rolloutID.MatchString(o.RolloutID) {
		return nil
	}
	return fmt.Errorf("%s%s names rollout %q: write the whole ID, sha256: and 64 hexadecimal digits, as status.rollouts[].id of the Release "+
		"has it and accord %[2]s writes it", CommandPrefix, o.Do, o.RolloutID)
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

// CommandsOnHub returns the commands in the annotations of a Release, with their user. Commands without a user do not count.
func CommandsOnHub(annotations map[string]string) []Command {
	user := annotations[CommandByAnnotation]
	if user == "" {
		return nil
	}
	commands := CommandsIn(annotations)
	for i := range commands {
		commands[i].By = user
	}
	return commands
}
