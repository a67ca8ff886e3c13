package rehearsal_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/golden"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/dump"
	"github.com/accord-dev/accord/propagate/failover"
	"github.com/accord-dev/accord/propagate/rehearsal"
	"github.com/accord-dev/accord/propagate/stage"
)

// scenario is the part scenario of a case.
type scenario struct {
	Failover  v1alpha1.Failover
	Failures  []struct{ Cluster, From, Until string }
	Unhealthy []struct {
		Object               manifest.ID
		Cluster, From, Until string
	}
	For          string
	HealthyAfter string
	// Rollout begins every RolloutPolicy: the clusters run v1, and the plan is v2.
	Rollout bool
	Examine []string
}

func length(t *testing.T, text string) time.Duration {
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	require.NoError(t, err)
	return d
}

// TestPlay runs every case of testdata: prose on top, the input of a plan, the failures in scenario, and the timeline.
func TestPlay(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, g *golden.Case) {
		var c scenario
		require.NoError(t, yaml.UnmarshalStrict(g.Part("scenario"), &c))
		in, err := dump.Read(g.Text())
		require.NoError(t, err)
		in.Now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		plan, err := propagate.New(in)
		require.NoError(t, err)
		s := rehearsal.Scenario{For: length(t, c.For), HealthyAfter: length(t, c.HealthyAfter), Settings: failover.Configured(&c.Failover)}
		for _, f := range c.Failures {
			s.Failures = append(s.Failures, rehearsal.Failure{Cluster: f.Cluster, From: length(t, f.From), Until: length(t, f.Until)})
		}
		for _, u := range c.Unhealthy {
			s.Unhealthy = append(s.Unhealthy, rehearsal.Unhealthy{Object: u.Object, Cluster: u.Cluster, From: length(t, u.From), Until: length(t, u.Until)})
		}
		for _, r := range plan.Rollouts() {
			if !c.Rollout {
				break
			}
			first := stage.Input{Sequence: r.Sequence(), Revision: "v2", Now: in.Now}
			for _, name := range r.Clusters {
				first.Clusters = append(first.Clusters, stage.Cluster{
					Name: name, Wanted: r.Digest(name), Report: stage.Report{Digest: "before", Revision: "v1", Health: stage.Healthy},
				})
			}
			s.Rollouts = append(s.Rollouts, rehearsal.Rollout{Name: r.Name(), Input: first, Scenario: stage.Scenario{HealthyAfter: policy.Duration(c.HealthyAfter)}})
		}
		line, err := rehearsal.Play(in, plan, s)
		require.NoError(t, err)
		var got strings.Builder
		for _, l := range line.Lines() {
			got.WriteString(l.Head() + l.Text + "\n")
		}
		for _, cluster := range c.Examine {
			survey, err := rehearsal.Examine(in, plan, s.Settings, cluster)
			require.NoError(t, err)
			got.WriteString(survey.String() + "\n")
			for _, e := range survey.None {
				got.WriteString("  " + e.ID.String() + ": " + e.Message + "\n")
			}
		}
		g.Equal(t, "want", got.String())
	})
}
