package state

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/state/activation"
	"github.com/accord-dev/accord/reconciler/state/dryrun"
	"github.com/accord-dev/accord/reconciler/state/phase"
	"github.com/accord-dev/accord/status"
)

func TestPhase(t *testing.T) {
	pending, plan := &activation.Pending{}, &propagate.Plan{}
	unapproved, approved := &status.Approval{}, &status.Approval{By: "by the message of its commit"}
	rejected := dryrun.Memory{Result: &status.Preflight{Refused: []status.Refusal{{Cluster: "eu"}}}}
	running := dryrun.Memory{Result: &status.Preflight{}}
	for name, c := range map[string]struct {
		newest newestRevision
		active activePlan
		want   phase.Phase
	}{
		"nothing was planned":                        {newestRevision{}, activePlan{}, phase.Pending},
		"a commit that cannot be planned":            {newestRevision{invalid: errors.New("no")}, activePlan{plan: plan, persisted: true}, phase.Invalid},
		"the prune limits stop a plan":               {newestRevision{pending: &activation.Pending{PruneBlock: &status.PruneBlock{Clusters: []string{"eu"}}}, approval: unapproved}, activePlan{plan: plan, persisted: true}, phase.PruneBlocked},
		"a plan that nobody approved":                {newestRevision{pending: pending, approval: unapproved}, activePlan{plan: plan, persisted: true}, phase.AwaitingApproval},
		"an approved plan that is being tried":       {newestRevision{pending: pending, approval: approved, dryRun: running}, activePlan{}, phase.DryRunning},
		"a plan that needs no approval is tried":     {newestRevision{pending: pending, dryRun: running}, activePlan{}, phase.DryRunning},
		"a cluster rejects it":                       {newestRevision{pending: pending, approval: approved, dryRun: rejected}, activePlan{plan: plan, persisted: true}, phase.DryRunFailed},
		"rejected before, and not approved any more": {newestRevision{pending: pending, approval: unapproved, dryRun: rejected}, activePlan{}, phase.AwaitingApproval},
		"active, and the hub does not have it all":   {newestRevision{}, activePlan{plan: plan}, phase.Persisting},
		"active": {newestRevision{}, activePlan{plan: plan, persisted: true}, phase.Active},
		"active, with a passed dry-run and approval": {newestRevision{approval: approved, dryRun: running}, activePlan{plan: plan, persisted: true}, phase.Active},
	} {
		t.Run(name, func(t *testing.T) {
			f := Federation{newest: c.newest, active: c.active}
			require.Equal(t, c.want, f.phase())
			require.Equal(t, c.want != phase.Pending && c.want != phase.Persisting, c.want.Decided())
		})
	}
}
