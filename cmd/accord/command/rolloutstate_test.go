package command

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
)

func TestDefectF7CommandsWithoutEffectAreRefused(t *testing.T) {
	at := metav1.NewTime(time.Date(2026, 3, 2, 14, 30, 50, 0, time.UTC))
	for _, c := range []struct {
		do, phase string
		named     bool
		want      string // empty: it has an effect
	}{
		{policy.CommandAbort, "Complete", false, "nothing to abort: rollout standard is complete since 2026-03-02 14:30:50 UTC"},
		{policy.CommandApprove, "Complete", true, "nothing to approve: rollout standard is complete since"},
		{policy.CommandResume, "Complete", false, "nothing to resume: rollout standard is complete since"},
		{policy.CommandRollback, "Complete", false, ""},
		{policy.CommandAbort, "Progressing", false, ""},
		{policy.CommandAbort, "Halted", false, "nothing to abort: rollout standard is Halted in stage canary"},
		{policy.CommandApprove, "Progressing", false, "nothing to approve: rollout standard is Progressing in stage canary"},
		{policy.CommandApprove, "Progressing", true, ""},
		{policy.CommandApprove, "WaitingForApproval", false, ""},
		{policy.CommandResume, "Progressing", false, "nothing to resume"},
		{policy.CommandResume, "RolledBack", false, ""},
	} {
		s := &v1alpha1.RolloutStatus{Policy: "standard", ID: "sha256:1f0c9e21aa04ff", Phase: c.phase, Stage: "canary"}
		if c.phase == "Complete" {
			s.CompletedAt = &at
		}
		err := checkState(policy.Command{Do: c.do, RolloutID: "1f0c9e21aa04"}, c.named, s)
		if c.want == "" {
			require.NoError(t, err, "%s, %s", c.do, c.phase)
			continue
		}
		require.ErrorContains(t, err, c.want, "%s, %s", c.do, c.phase)
	}
}
