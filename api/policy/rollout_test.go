package policy_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
)

func TestAmount(t *testing.T) {
	for _, c := range []struct {
		name   string
		amount policy.Amount
		of     int
		want   int
	}{
		{"a number", "3", 10, 3},
		{"more than there are", "30", 10, 30},
		{"a share", "25%", 12, 3},
		{"a share is rounded down", "25%", 11, 2},
		{"a share of too few", "25%", 3, 0},
		{"everything", "100%", 7, 7},
		{"nothing written", "", 7, 99},
		{"not valid", "some", 7, 99},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, c.amount.Of(c.of, 99)) })
	}
}

func TestDeadline(t *testing.T) {
	s := policy.RolloutSpec{}
	require.Equal(t, policy.DefaultProgressDeadline, s.Deadline(policy.RolloutStage{}))
	s.ProgressDeadline = "20m"
	require.Equal(t, policy.Duration("20m"), s.Deadline(policy.RolloutStage{}))
	require.Equal(t, policy.Duration("5m"), s.Deadline(policy.RolloutStage{ProgressDeadline: "5m"}))
	require.Equal(t, 20*time.Minute, policy.Duration("20m").Length())
	require.Zero(t, policy.Duration("soon").Length())
}

func TestWindow(t *testing.T) {
	at := func(s string) time.Time {
		parsed, err := time.Parse("2006-01-02 15:04", s)
		require.NoError(t, err)
		return parsed
	}
	working := policy.Window{Days: []string{"Mon", "Tue", "Wed", "Thu", "Fri"}, From: "09:00", To: "17:00"}
	for _, c := range []struct {
		name      string
		window    policy.Window
		now, want string // 2026-03-02 is a Monday
	}{
		{"inside", working, "2026-03-02 09:00", "2026-03-02 09:00"},
		{"before", working, "2026-03-02 08:59", "2026-03-02 09:00"},
		{"the end is outside", working, "2026-03-02 17:00", "2026-03-03 09:00"},
		{"over the weekend", working, "2026-03-06 18:00", "2026-03-09 09:00"},
		{"empty is always", policy.Window{}, "2026-03-02 03:00", "2026-03-02 03:00"},
		{"whole days", policy.Window{Days: []string{"Wed"}}, "2026-03-02 03:00", "2026-03-04 00:00"},
		{"over midnight, in the evening", policy.Window{Days: []string{"Mon"}, From: "22:00", To: "04:00"}, "2026-03-02 23:00", "2026-03-02 23:00"},
		{"over midnight, in the morning after", policy.Window{Days: []string{"Mon"}, From: "22:00", To: "04:00"}, "2026-03-03 03:59", "2026-03-03 03:59"},
		{"over midnight, in the morning before", policy.Window{Days: []string{"Mon"}, From: "22:00", To: "04:00"}, "2026-03-02 03:00", "2026-03-02 22:00"},
		{"only from", policy.Window{From: "22:00"}, "2026-03-02 23:59", "2026-03-02 23:59"},
		{"only to", policy.Window{To: "06:00"}, "2026-03-02 07:00", "2026-03-03 00:00"},
		{"the same day a week later", policy.Window{Days: []string{"Mon"}, To: "01:00"}, "2026-03-02 02:00", "2026-03-09 00:00"},
		{"in another zone", policy.Window{From: "09:00", To: "17:00", TimeZone: "Europe/Berlin"}, "2026-03-02 07:30", "2026-03-02 08:00"},
		{"in summer time", policy.Window{From: "09:00", To: "17:00", TimeZone: "Europe/Berlin"}, "2026-07-01 06:30", "2026-07-01 07:00"},
		{"on a day of the zone", policy.Window{Days: []string{"Tue"}, TimeZone: "Asia/Tokyo"}, "2026-03-02 16:00", "2026-03-02 16:00"},
	} {
		t.Run(c.name, func(t *testing.T) {
			opens, ok := c.window.Opens(at(c.now))
			require.True(t, ok)
			require.Equal(t, at(c.want).UTC(), opens.UTC())
		})
	}
	_, ok := policy.Window{TimeZone: "Nowhere/At-all"}.Opens(at("2026-03-02 03:00"))
	require.False(t, ok)
}

func TestOpen(t *testing.T) {
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	opens, ok := policy.Open(nil, now)
	require.True(t, ok)
	require.Equal(t, now, opens, "without a window it is always open")
	opens, ok = policy.Open([]policy.Window{{From: "20:00"}, {From: "18:00", To: "19:00"}, {TimeZone: "no"}}, now)
	require.True(t, ok)
	require.Equal(t, now.Add(6*time.Hour), opens, "the first of several")
	_, ok = policy.Open([]policy.Window{{TimeZone: "no"}}, now)
	require.False(t, ok)
}

func TestOrders(t *testing.T) {
	text := strings.Replace(selecting(rolloutHead+"spec:\n  stages: [{name: all}]\n"), "{name: standard}",
		"{name: standard, annotations: {rollout.accord.dev/approve: 'ID@canary, ID@eu,', rollout.accord.dev/abort: ID, rollout.accord.dev/other: x}}", 1)
	const id = "sha256:1f0c9e21aa04f1a03cc38b2f90f4cf0d40d1ba3d3b1b6eb3bd0b0f0f9b2a6d11"
	text = strings.ReplaceAll(text, "ID", id)
	r, err := policy.DecodeRollout(object(t, text), []byte(text), origin)
	require.NoError(t, err)
	require.Equal(t, []policy.Command{
		{Do: policy.CommandApprove, RolloutID: id, Stage: "canary"},
		{Do: policy.CommandApprove, RolloutID: id, Stage: "eu"},
		{Do: policy.CommandAbort, RolloutID: id},
	}, r.Commands)
	require.Equal(t, "approve "+id+"@canary", r.Commands[0].String())
	require.Equal(t, "abort "+id, r.Commands[2].String())
	for _, o := range r.Commands {
		require.True(t, o.About(id), o)
	}
	require.False(t, r.Commands[1].About(strings.Replace(id, "11", "12", 1)), "another rollout")
	require.False(t, policy.Command{}.About(""))
}

// TestHostileCommand: two rollouts whose IDs begin alike can be made in seconds, so that a part of an ID approves neither.
func TestHostileCommand(t *testing.T) {
	const id = "sha256:0f3103026068549c3cc38b2f90f4cf0d40d1ba3d3b1b6eb3bd0b0f0f9b2a6d11"
	for _, short := range []string{"0f3103026068", id[:len(id)-1], strings.TrimPrefix(id, "sha256:")} {
		require.False(t, policy.Command{Do: policy.CommandApprove, RolloutID: short, Stage: "canary"}.About(id), short)
		text := strings.Replace(selecting(rolloutHead+"spec:\n  stages: [{name: all}]\n"), "{name: standard}",
			"{name: standard, annotations: {rollout.accord.dev/approve: '"+short+"@canary'}}", 1)
		_, err := policy.DecodeRollout(object(t, text), []byte(text), origin)
		require.ErrorContains(t, err, "rollout.accord.dev/approve names rollout \""+short+"\": write the whole ID")
	}
}

func FuzzDecodeRollout(f *testing.F) {
	for _, c := range append(rolloutFields(), gateFields()...) {
		f.Add(selecting(rolloutHead + "spec:\n" + indent(c.write) + "\n"))
	}
	for _, c := range append(rolloutStageFields(), windowFields()...) {
		f.Add(selecting(rolloutHead + "spec:\n" + indent(c.write) + "\n"))
	}
	fuzz(f, func(u *unstructured.Unstructured, text []byte, origin manifest.Origin) (policy.Meta, any, error) {
		r, err := policy.DecodeRollout(u, text, origin)
		return r.Meta, r.Spec, err
	})
}

// A command on a Release counts only with the user whom the API server recorded.
func TestHostileCommandWithoutAUser(t *testing.T) {
	annotations := map[string]string{policy.CommandPrefix + policy.CommandAbort: "sha256:1"}
	require.Empty(t, policy.CommandsOnHub(annotations))
	annotations[policy.CommandByAnnotation] = "alice"
	require.Equal(t, []policy.Command{{Do: policy.CommandAbort, RolloutID: "sha256:1", By: "alice"}}, policy.CommandsOnHub(annotations))
}
