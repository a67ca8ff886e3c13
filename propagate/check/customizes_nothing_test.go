package check_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/check"
	"github.com/accord-dev/accord/propagate/dump"
	"github.com/accord-dev/accord/status/interpret"
)

// TestHealthOfNothing: the healthCheckExprs of a Federation, which no file of a case has.
func TestHealthOfNothing(t *testing.T) {
	in, err := dump.Read([]byte("-- a.yaml --\n{apiVersion: example.io/v1, kind: Rollout, metadata: {name: web, namespace: shop}}\n"))
	require.NoError(t, err)
	for _, kind := range []string{"Rollout", "Rolout"} {
		in.Health = append(in.Health, interpret.HealthExprs{
			At: manifest.Origin{Path: "prod.yaml", Line: len(in.Health) + 1}, APIVersion: "example.io/v2", Kind: kind, Current: "true",
		})
	}
	plan, err := propagate.New(in)
	require.NoError(t, err)
	var found []propagate.Finding
	for _, f := range check.Run(in, plan) {
		if f.Code == "customizes-nothing" {
			found = append(found, f)
		}
	}
	require.Equal(t, []propagate.Finding{{
		At: manifest.Origin{Path: "prod.yaml", Line: 2}, Severity: propagate.Warning, Code: "customizes-nothing",
		Message: "healthCheckExprs customizes Rolout.example.io, and Git has no object of this kind",
		Fix:     "did you mean apiVersion example.io/v1, kind Rollout?",
	}}, found)
}
