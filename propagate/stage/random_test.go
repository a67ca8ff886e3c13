package stage_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/propagate/stage"
)

// randomInput is a policy of up to four stages over up to twelve clusters.
func randomInput(random *rand.Rand) stage.Input {
	n := 1 + random.IntN(4)
	rollout := &policy.Rollout{Meta: policy.Meta{Name: "random"}, Spec: policy.RolloutSpec{
		ProgressDeadline: "10m", OnFailure: pick(random, policy.Halt, policy.Rollback), CatchUpPolicy: pick(random, policy.Immediate, policy.Staged),
		FailureBudget: policy.FailureBudget{
			MaxUnhealthy: pick[policy.Amount](random, "", "0", "1", "2", "50%"), MaxUnreachable: pick[policy.Amount](random, "", "1", "50%", "100%"),
		},
	}}
	if random.IntN(20) == 0 {
		rollout.Spec.Paused = true
	}
	for i := range n {
		rollout.Spec.Stages = append(rollout.Spec.Stages, randomStage(random, fmt.Sprintf("s%d", i)))
	}
	var clusters []fleet.Cluster
	for i := range 1 + random.IntN(12) {
		c := v1alpha1.Cluster{}
		c.Name, c.Labels = fmt.Sprintf("c%02d", i), map[string]string{"stage": fmt.Sprintf("s%d", random.IntN(n))}
		clusters = append(clusters, fleet.From(c, manifest.Origin{}))
	}
	in := input(rollout, clusters)
	for i := range in.Clusters {
		switch c := &in.Clusters[i]; random.IntN(12) {
		case 0:
			c.Wanted = "a"
		case 1:
			c.Wanted = ""
		case 2:
			c.Report.Digest, c.Report.Revision = "", ""
		}
	}
	return in
}

func randomStage(random *rand.Rand, name string) policy.RolloutStage {
	s := policy.RolloutStage{
		Name: name, MaxConcurrency: pick[policy.Amount](random, "", "1", "2", "50%"),
		ClusterAffinity: &policy.ClusterAffinity{LabelSelector: labelled("stage", name)},
		Gate:            policy.RolloutGate{SoakDuration: pick[policy.Duration](random, "", "", "5m", "1h")},
	}
	switch random.IntN(10) {
	case 0:
		s.Gate.Approval = policy.Manual
	case 1:
		s.Gate.Conditions = []string{"SmokeTestsPassed"}
	case 2:
		s.Gate.Windows = []policy.Window{{Days: []string{"Tue", "Sat"}, From: "22:00", To: "04:00"}}
	case 3:
		s.ProgressDeadline = "30m"
	}
	return s
}

// randomScenario has faults, commits in between, and orders.
func randomScenario(random *rand.Rand, in stage.Input) stage.Scenario {
	s := stage.Scenario{HealthyAfter: pick[policy.Duration](random, "0s", "2m", "9m"), ApproveAfter: pick[policy.Duration](random, "", "1h", "1h")}
	name := func() string { return in.Clusters[random.IntN(len(in.Clusters))].Name }
	for range random.IntN(5) {
		from := random.IntN(60)
		fault := stage.ClusterFault{
			Cluster: name(), From: minutes(from),
			Kind: pick(random, stage.FaultFails, stage.FaultFails, stage.FaultStalls, stage.FaultRefuses, stage.FaultUnreachable, stage.FaultUnreachable, stage.FaultHeld),
		}
		if random.IntN(3) > 0 {
			fault.To = minutes(from + 1 + random.IntN(120))
		}
		s.Faults = append(s.Faults, fault)
	}
	for i := range random.IntN(4) {
		commit := stage.Commit{At: minutes(random.IntN(120)), Revision: fmt.Sprintf("main@sha1:%03d", i), Wanted: map[string]string{}}
		for _, c := range in.Clusters {
			if random.IntN(4) > 0 {
				commit.Wanted[c.Name] = pick(random, "b", "c", fmt.Sprintf("d%d", i))
			}
		}
		s.Commits = append(s.Commits, commit)
	}
	for range random.IntN(3) {
		s.Commands = append(s.Commands, stage.TimedCommand{
			At: minutes(random.IntN(200)), Stage: strconv.Itoa(random.IntN(3)),
			Do: pick(random, policy.CommandAbort, policy.CommandRollback, policy.CommandResume, policy.CommandResume),
		})
	}
	return s
}

func minutes(n int) policy.Duration {
	return policy.Duration((time.Duration(n) * time.Minute).String())
}

func pick[T any](random *rand.Rand, values ...T) T { return values[random.IntN(len(values))] }

func labelled(key, value string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{key: value}}
}
