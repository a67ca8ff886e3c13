package stage_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/internal/golden"
	"github.com/accord-dev/accord/propagate/stage"
)

const page = "../../docs/how-to/rollouts.md"

// TestPage keeps the example of docs/how-to/rollouts.md a policy that can be used, and its expression one that can be read.
func TestPage(t *testing.T) {
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(text, -1)
	require.Len(t, blocks, 1)
	r, err := policy.DecodeRollout(object(t, blocks[0][1]), blocks[0][1], manifest.Origin{Path: page, Line: 1})
	require.NoError(t, err)

	clusters := []fleet.Cluster{
		{Name: "eu-1", Labels: map[string]string{"region": "eu"}}, {Name: "eu-2", Labels: map[string]string{"region": "eu"}},
		{Name: "eu-3", Labels: map[string]string{"region": "eu"}}, {Name: "us-1", Labels: map[string]string{"region": "us"}},
	}
	course := stage.NewSequence(&r, clusters, []string{"eu-1", "eu-2", "eu-3", "us-1"})
	require.Empty(t, course.Faults)
	require.Equal(t, []string{"eu-3", "eu-2"}, course.Stages[1].Clusters)

	_, after, found := strings.Cut(strings.Join(strings.Fields(string(text)), " "), "`metadata.name` and `status`. For example `")
	require.True(t, found)
	expression, _, _ := strings.Cut(after, "`")
	_, err = stage.Compile(expression)
	require.NoError(t, err)
	for _, v := range []stage.Phase{
		stage.Complete, stage.Rolling, stage.Soaking, stage.WaitingForApproval, stage.WaitingForWindow, stage.Paused, stage.Halted, stage.RolledBack,
	} {
		require.Contains(t, string(text), "`"+string(v)+"`")
	}
	golden.Quote(t, page, string(golden.Read(t, "testdata/page_of_rollouts.txtar").Part("want")))
	require.EqualValues(t, "10m", policy.DefaultProgressDeadline)
	golden.Quote(t, page, "# 10m when absent")
}
