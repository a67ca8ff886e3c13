package view

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/view/picture"
)

func TestBarsOf(t *testing.T) {
	zero := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	at := func(minutes int) time.Time { return zero.Add(time.Duration(minutes) * time.Minute) }
	then := func(minutes int) *metav1.MicroTime { return &metav1.MicroTime{Time: at(minutes)} }
	bar := func(kind picture.Kind, from, to int) picture.Bar {
		return picture.Bar{Kind: kind, From: at(from), To: at(to)}
	}
	old := v1alpha1.RolloutVersion{Digest: "sha256:1b77", Revision: "main@sha1:1b77d03"}
	for _, c := range []struct {
		state   string
		memory  v1alpha1.DeliveryRollout
		verdict string
		failing int32
		want    []picture.Bar
	}{
		{"given nothing yet", v1alpha1.DeliveryRollout{}, "Progressing", 0, []picture.Bar{bar(picture.Waits, 0, 60)}},
		{"given before this rollout", v1alpha1.DeliveryRollout{UpdatedAt: then(-9), HealthySince: then(-8), GatePassedAt: then(-8)}, "Progressing", 0, []picture.Bar{bar(picture.Waits, 0, 60)}},
		{"changing", v1alpha1.DeliveryRollout{UpdatedAt: then(10), UnhealthySince: then(10)}, "Progressing", 0, []picture.Bar{bar(picture.Waits, 0, 10), bar(picture.Changing, 10, 60)}},
		{"through all of it", v1alpha1.DeliveryRollout{UpdatedAt: then(0), HealthySince: then(5), GatePassedAt: then(15)}, "Complete", 0,
			[]picture.Bar{bar(picture.Changing, 0, 5), bar(picture.Soaking, 5, 15), bar(picture.Passed, 15, 60)}},
		{"failing in a stage that halted", v1alpha1.DeliveryRollout{UpdatedAt: then(10), UnhealthySince: then(12)}, "Halted", 0,
			[]picture.Bar{bar(picture.Waits, 0, 10), bar(picture.Changing, 10, 12), bar(picture.Failing, 12, 60)}},
		{"failing within the budget", v1alpha1.DeliveryRollout{UpdatedAt: then(10), UnhealthySince: then(12)}, "Progressing", 1,
			[]picture.Bar{bar(picture.Waits, 0, 10), bar(picture.Changing, 10, 12), bar(picture.Failing, 12, 60)}},
		{"unhealthy after it passed", v1alpha1.DeliveryRollout{UpdatedAt: then(0), GatePassedAt: then(15), UnhealthySince: then(40)}, "Progressing", 0,
			[]picture.Bar{bar(picture.Changing, 0, 15), bar(picture.Passed, 15, 40), bar(picture.Failing, 40, 60)}},
		{"held while it waits", v1alpha1.DeliveryRollout{UnavailableSince: then(20)}, "Progressing", 0, []picture.Bar{bar(picture.Waits, 0, 20), bar(picture.Away, 20, 60)}},
		{"away since before", v1alpha1.DeliveryRollout{UnavailableSince: then(-20)}, "Progressing", 0, []picture.Bar{bar(picture.Away, 0, 60)}},
		{"given back", v1alpha1.DeliveryRollout{UpdatedAt: then(30), HealthySince: then(31), Current: old, LastHealthy: &old}, "RolledBack", 0,
			[]picture.Bar{bar(picture.Waits, 0, 8), bar(picture.Had, 8, 30), bar(picture.Restored, 30, 60)}},
		{"given back, and it does not help", v1alpha1.DeliveryRollout{UpdatedAt: then(30), UnhealthySince: then(30), Current: old, LastHealthy: &old}, "RolledBack", 0,
			[]picture.Bar{bar(picture.Waits, 0, 8), bar(picture.Had, 8, 30), bar(picture.Failing, 30, 60)}},
		{"keeps the new version in a rollback", v1alpha1.DeliveryRollout{UpdatedAt: then(10), HealthySince: then(11), GatePassedAt: then(12)}, "RolledBack", 0,
			[]picture.Bar{bar(picture.Waits, 0, 10), bar(picture.Changing, 10, 11), bar(picture.Soaking, 11, 12), bar(picture.Passed, 12, 60)}},
	} {
		t.Run(c.state, func(t *testing.T) {
			c.memory.Stage = "canary"
			o := &v1alpha1.RolloutStatus{Phase: c.verdict, Stage: "canary", Stages: []v1alpha1.StageStatus{{Name: "canary", Failing: c.failing, StartedAt: &metav1.Time{Time: at(8)}}}}
			require.Equal(t, c.want, barsOf(c.memory, o, at(0), at(60)))
		})
	}
}
