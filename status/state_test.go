package status

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/v1alpha1"
)

func TestState(t *testing.T) {
	for name, want := range map[string]struct {
		state             v1alpha1.State
		message           string
		applied, observed bool
	}{
		"healthy":                  {v1alpha1.Healthy, "1 of 2 available", true, true},
		"progressing":              {v1alpha1.Progressing, "1 of 2 available", true, true},
		"failed":                   {v1alpha1.Failed, "1 of 2 available", true, true},
		"unknown":                  {v1alpha1.Progressing, "1 of 2 available", true, true},
		"unobserved":               {v1alpha1.Progressing, "its controller has not observed this version yet", true, false},
		"older":                    {v1alpha1.Progressing, "still runs another version", false, false},
		"missing":                  {v1alpha1.Progressing, "not there yet", false, false},
		"refused":                  {v1alpha1.Failed, "quota", false, false},
		"mutated":                  {v1alpha1.Failed, "the cluster changed applied fields: spec.replicas: 2 became 1", true, true},
		"unrenderable":             {v1alpha1.Failed, "no such path", false, false},
		"held":                     {v1alpha1.Held, "suspended", false, false},
		"held and current":         {v1alpha1.Healthy, "1 of 2 available", true, true},
		"held and missing":         {v1alpha1.Held, "suspended", false, false},
		"unreachable":              {v1alpha1.Unreachable, "no answer", false, false},
		"unrenderable unreachable": {v1alpha1.Failed, "no such path", false, false},
		"held unreachable":         {v1alpha1.Held, "suspended", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			c := states[name]
			state, message := c.State()
			require.Equal(t, want.state, state)
			require.Equal(t, want.message, message)
			require.Equal(t, want.applied, c.Applied())
			require.Equal(t, want.observed, c.Observed())
		})
	}
	t.Run("kinds without observedGeneration are observed when they are there", func(t *testing.T) {
		c := Cell{Want: "new", Report: &Report{Digest: "new", Generation: 3}}
		require.True(t, c.Observed())
	})
	t.Run("an unrenderable object is not taken for one without a digest", func(t *testing.T) {
		require.False(t, Cell{Report: &Report{}}.Applied())
	})
}
