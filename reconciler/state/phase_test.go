package state

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/state/dryrun"
	"github.com/accord-dev/accord/reconciler/state/reachability"
	"github.com/accord-dev/accord/status"
)

func TestPhase(t *testing.T) {
	pending, plan := &PendingPlan{}, &propagate.Plan{}
	unapproved, approved := &status.Approval{}, &status.Approval{By: "by the message of its commit"}
	rejected := dryrun.Memory{Result: &status.Preflight{Refused: []status.Refusal{{Cluster: "eu"}}}}
	running := dryrun.Memory{Result: &status.Preflight{}}
	for name, c := range map[string]struct {
		newest newestRevision
		active activePlan
		want   Phase
	}{
		"nothing was planned":                        {newestRevision{}, activePlan{}, Pending},
		"a commit that cannot be planned":            {newestRevision{invalid: errors.New("no")}, activePlan{plan: plan, persisted: true}, Invalid},
		"the prune limits stop a plan":               {newestRevision{pending: &PendingPlan{PruneBlock: &status.PruneBlock{Clusters: []string{"eu"}}}, approval: unapproved}, activePlan{plan: plan, persisted: true}, PruneBlocked},
		"a plan that nobody approved":                {newestRevision{pending: pending, approval: unapproved}, activePlan{plan: plan, persisted: true}, AwaitingApproval},
		"an approved plan that is being tried":       {newestRevision{pending: pending, approval: approved, dryRun: running}, activePlan{}, DryRunning},
		"a plan that needs no approval is tried":     {newestRevision{pending: pending, dryRun: running}, activePlan{}, DryRunning},
		"a cluster rejects it":                       {newestRevision{pending: pending, approval: approved, dryRun: rejected}, activePlan{plan: plan, persisted: true}, DryRunFailed},
		"rejected before, and not approved any more": {newestRevision{pending: pending, approval: unapproved, dryRun: rejected}, activePlan{}, AwaitingApproval},
		"active, and the hub does not have it all":   {newestRevision{}, activePlan{plan: plan}, Persisting},
		"active": {newestRevision{}, activePlan{plan: plan, persisted: true}, Active},
		"active, with a passed dry-run and approval": {newestRevision{approval: approved, dryRun: running}, activePlan{plan: plan, persisted: true}, Active},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, phaseOf(&c.newest, &c.active))
			require.Equal(t, c.want != Pending && c.want != Persisting, c.want.decided())
		})
	}
	f := New(&v1alpha1.Federation{}, NewRegistry(reachability.NewTracker()), nil)
	require.Equal(t, Pending, f.Phase())
	f.SourceUnavailable(errors.New("no route"))
	require.Equal(t, SourceUnavailable, f.Phase())
	f.declared.object.Spec.Suspend = true
	require.Equal(t, Suspended, f.Phase(), "a suspended Federation fetches nothing")
}
