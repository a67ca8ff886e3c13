package stage_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate/stage"
)

func deployment(name string, status map[string]any) stage.Live {
	return stage.Live{ID: manifest.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: name}, Version: "v1", Status: status}
}

func smokeJob(name string, status map[string]any) stage.Live {
	return stage.Live{ID: manifest.ID{Group: "batch", Kind: "Job", Namespace: "shop", Name: name}, Version: "v1", Status: status}
}

func conditions(pairs ...string) map[string]any {
	var list []any
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, map[string]any{"type": pairs[i], "status": pairs[i+1], "message": "so it says"})
	}
	return map[string]any{"conditions": list}
}

func TestAnswers(t *testing.T) {
	smoke := policy.RolloutGate{Conditions: []string{"SmokeTestsPassed"}}
	job := policy.RolloutGate{Job: &policy.RolloutJob{Namespace: "shop", Name: "smoke"}}
	replicas := policy.RolloutGate{CEL: `objects.all(o, o.kind != "Deployment" || o.status.readyReplicas >= 2)`}
	passed, service := conditions("Available", "True", "SmokeTestsPassed", "True"), stage.Live{ID: manifest.ID{Kind: "Service", Namespace: "shop", Name: "web"}}
	for _, c := range []struct {
		name    string
		gate    policy.RolloutGate
		objects []stage.Live
		ask     stage.Question
		want    stage.Answer
	}{
		{"the condition is True", smoke, []stage.Live{deployment("web", passed), service}, "condition SmokeTestsPassed", stage.Answer{State: stage.Healthy}},
		{"on one of two it is not", smoke, []stage.Live{deployment("web", passed), deployment("api", conditions("SmokeTestsPassed", "False"))}, "condition SmokeTestsPassed",
			stage.Answer{State: stage.Progressing, Message: "the condition is False on apps/Deployment shop/api: so it says"}},
		{"nobody has the condition", smoke, []stage.Live{deployment("web", conditions("Available", "True"))}, "condition SmokeTestsPassed",
			stage.Answer{State: stage.Progressing, Message: "no object has the condition"}},
		{"the job is complete", job, []stage.Live{smokeJob("other", nil), smokeJob("smoke", conditions("Complete", "True"))}, "job shop/smoke", stage.Answer{State: stage.Healthy}},
		{"the job runs", job, []stage.Live{smokeJob("smoke", nil)}, "job shop/smoke", stage.Answer{State: stage.Progressing, Message: "the Job is not complete"}},
		{"the job failed", job, []stage.Live{smokeJob("smoke", conditions("Failed", "True"))}, "job shop/smoke", stage.Answer{State: stage.Stalled, Message: "the Job failed: so it says"}},
		{"the job does not exist", job, []stage.Live{deployment("smoke", passed)}, "job shop/smoke", stage.Answer{State: stage.Progressing, Message: "the Job does not exist"}},
		{"the expression is true", replicas, []stage.Live{deployment("web", map[string]any{"readyReplicas": int64(3)}), service}, "cel", stage.Answer{State: stage.Healthy}},
		{"the expression is false", replicas, []stage.Live{deployment("web", map[string]any{"readyReplicas": int64(1)})}, "cel",
			stage.Answer{State: stage.Progressing, Message: "the expression is not true"}},
		{"the expression asks for what is not there yet", replicas, []stage.Live{deployment("web", nil)}, "cel",
			stage.Answer{State: stage.Progressing, Message: "no such key: readyReplicas"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var expression *stage.Expression
			if c.gate.CEL != "" {
				var err error
				expression, err = stage.Compile(c.gate.CEL)
				require.NoError(t, err)
			}
			require.Equal(t, map[stage.Question]stage.Answer{c.ask: c.want}, stage.Answers(c.gate, expression, c.objects))
			require.Equal(t, []stage.Question{c.ask}, stage.Questions(c.gate))
		})
	}
	require.Nil(t, stage.Answers(policy.RolloutGate{SoakDuration: "10m"}, nil, nil), "nothing is asked")
	require.Equal(t, stage.Progressing, stage.Answers(replicas, nil, nil)["cel"].State, "an expression that cannot be read never says yes")
}

func TestCompileRefuses(t *testing.T) {
	for text, says := range map[string]string{
		"objects.all(o,":                "line 1, column 15: ",
		"objects.size()":                "the expression is of type int, expected bool",
		"things.all(o, true)":           "undeclared reference to 'things'",
		"objects[0].status.anything":    "",
		`objects.exists(o, o.kind=="")`: "",
	} {
		_, err := stage.Compile(text)
		if says == "" {
			require.NoError(t, err, text)
			continue
		}
		require.ErrorContains(t, err, says, text)
	}
}
