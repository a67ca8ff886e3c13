package command

import (
	"fmt"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/gitrepo"
	"github.com/accord-dev/accord/propagate/stage"
)

// checkState returns an error with the state of the rollout on the hub if a command has no effect in that state. stageNamed
// reports whether the user named the stage.
func checkState(cmd policy.Command, stageNamed bool, s *v1alpha1.RolloutStatus) error {
	state := fmt.Sprintf("rollout %s is %s", s.Policy, s.Phase)
	if s.Stage != "" {
		state += " in stage " + s.Stage
	}
	phase := stage.Phase(s.Phase)
	stopped := phase == stage.Halted || phase == stage.RolledBack
	switch {
	case cmd.Do == policy.CommandRollback:
		return nil
	case phase == stage.Complete && s.CompletedAt != nil:
		return fmt.Errorf("nothing to %s: rollout %s is complete since %s", cmd.Do, s.Policy, s.CompletedAt.UTC().Format("2006-01-02 15:04:05 UTC"))
	case phase == stage.Complete, cmd.Do == policy.CommandResume && !stopped, cmd.Do != policy.CommandResume && stopped:
		return fmt.Errorf("nothing to %s: %s", cmd.Do, state)
	case cmd.Do == policy.CommandApprove && phase != stage.WaitingForApproval && !stageNamed:
		return fmt.Errorf("nothing to approve: %s; to approve a stage in advance, name it with --stage", state)
	}
	return nil
}

// checkApproval returns an error if the stage of a RolloutPolicy needs no approval.
func checkApproval(m gitrepo.ManifestFile, name string) error {
	if approval, _ := m.Get("spec", "stages", name, "gate", "approval"); approval != string(policy.Manual) {
		return fmt.Errorf("nothing to approve: the gate of stage %s of %s (%s) has no approval: Manual", name, m.Title(), m.Place())
	}
	return nil
}
