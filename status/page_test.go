package status

import (
	"bytes"
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/internal/golden"
)

const deliveryPage = "../docs/concepts/delivery.md"

// TestPage compares messages and limits in docs/concepts with those of this package.
func TestPage(t *testing.T) {
	outage := Outage{Reason: "BreakerOpen", Since: time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC), Retry: 30 * time.Second}
	golden.Quote(t, deliveryPage, "Reachable=False/"+outage.Reason+": "+outage.of("cluster eu-1: its API server did not answer in time: ..."))
	refused := Preflight{Refused: []Refusal{{Cluster: "eu-7", Object: "apps/Deployment shop/web", Message: `admission webhook "quota" denied the request: ...`}}}
	golden.Quote(t, deliveryPage, refused.message())

	require.Equal(t, []int{20, 10, 10, 10}, []int{maxRemoved, maxRemovedObjects, maxProblems, maxList})
	golden.Quote(t, deliveryPage, "The status lists the newest 20 clusters, and `removedClustersOmitted` counts the older ones.")
	golden.Quote(t, deliveryPage, "# at most ten")
	golden.Quote(t, "../docs/concepts/status.md", "A list has at most ten items, the worst first")
	require.Equal(t, []int{10, 16}, []int{maxRollouts, maxStages})
	golden.Quote(t, "../docs/concepts/status.md", "It has at most ten rollouts of sixteen stages each.")
}

// TestPageOfConditions: docs/concepts/status.md has each condition and each reason of this package.
func TestPageOfConditions(t *testing.T) {
	page, err := os.ReadFile("../docs/concepts/status.md")
	require.NoError(t, err)
	for _, file := range []string{"reason.go", "../api/v1alpha1/names.go"} {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		names := constantOfName.FindAllStringSubmatch(string(source), -1)
		require.Greater(t, len(names), 10, file)
		for _, name := range names {
			require.True(t, bytes.Contains(page, []byte("`"+name[1])) || bytes.Contains(page, []byte("/"+name[1]+"`")), "%s: %s", file, name[1])
		}
	}
}

// constantOfName matches a constant that is a condition or a reason: one word in CamelCase.
var constantOfName = regexp.MustCompile(`(?m)^\t[A-Z]\w+ += "([A-Z][A-Za-z]+)"$`)
