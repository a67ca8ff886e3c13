package command

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/policy"
)

func TestParseUntil(t *testing.T) {
	now := time.Date(2026, 3, 2, 12, 30, 45, 0, time.UTC)
	for text, want := range map[string]string{
		"48h":                       "2026-03-04T12:30:00Z",
		"3d":                        "2026-03-05T12:30:00Z",
		"1d12h":                     "2026-03-04T00:30:00Z",
		"2026-03-06":                "2026-03-07T00:00:00Z",
		"2026-03-06 18:00":          "2026-03-06T18:00:00Z",
		"2026-03-06T18:00:00+02:00": "2026-03-06T16:00:00Z",
	} {
		got, err := parseUntil(text, now)
		require.NoError(t, err, text)
		require.Equal(t, want, got.UTC().Format(time.RFC3339), text)
	}
	for text, why := range map[string]string{"tomorrow": "expected a time span", "": "expected a time span", "-1h": "is in the past", "2026-03-01": "is in the past"} {
		_, err := parseUntil(text, now)
		require.ErrorContains(t, err, why, text)
	}
}

func TestWithCommand(t *testing.T) {
	approve := policy.Command{Do: policy.CommandApprove, RolloutID: "1f0c9e21aa04", Stage: "canary"}
	abort := policy.Command{Do: policy.CommandAbort, RolloutID: "1f0c9e21aa04"}
	for _, c := range []struct {
		state string
		was   string
		order policy.Command
		stale bool
		want  string
	}{
		{"the first", "", approve, true, "1f0c9e21aa04@canary"},
		{"the same again", "1f0c9e21aa04@canary", approve, true, "1f0c9e21aa04@canary"},
		{"another stage", "1f0c9e21aa04@europe", approve, true, "1f0c9e21aa04@europe,1f0c9e21aa04@canary"},
		{"about another target, in Git", "ffffffffffff@canary", approve, true, "1f0c9e21aa04@canary"},
		{"about another rollout of the release", "ffffffffffff@canary", approve, false, "ffffffffffff@canary,1f0c9e21aa04@canary"},
		{"obeyed once before", "1f0c9e21aa04", abort, true, "1f0c9e21aa04,1f0c9e21aa04@2"},
		{"obeyed twice before", "1f0c9e21aa04,1f0c9e21aa04@2", abort, true, "1f0c9e21aa04,1f0c9e21aa04@2,1f0c9e21aa04@3"},
	} {
		t.Run(c.state, func(t *testing.T) { require.Equal(t, c.want, withCommand(c.was, c.order, c.stale)) })
	}
}
