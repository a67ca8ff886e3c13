package check_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/accord-dev/accord/internal/golden"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/check"
	"github.com/accord-dev/accord/propagate/dump"
)

// TestCases runs every check over each repository in testdata: prose on top, the content of Git below, and the findings
// last. Each case is also run with its input shuffled and must give the same.
func TestCases(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, c *golden.Case) {
		got := findings(t, c.Text(), func(propagate.Input) {})
		c.Equal(t, "want", got)
		for seed := range uint64(3) {
			random := rand.New(rand.NewPCG(seed, 0))
			require.Equal(t, got, findings(t, c.Text(), func(in propagate.Input) { shuffle(random, in) }), "shuffled, seed %d", seed)
		}
	})
}

// TestEveryCheckHasACase: a check without a file of its own in testdata, in which it finds something, is not tested.
func TestEveryCheckHasACase(t *testing.T) {
	for _, c := range check.All() {
		if c.Code == check.Tenant.Code {
			continue // package tenancy has its cases
		}
		found := golden.Read(t, "testdata/"+strings.ReplaceAll(c.Code, "-", "_")+".txtar").Part("want")
		require.Contains(t, string(found), " "+c.Code+" ", "%s is not found in its own case", c.Code)
	}
}

func TestClean(t *testing.T) {
	require.Empty(t, golden.Read(t, "testdata/clean.txtar").Part("want"), "the ordinary repository has no finding")
}

// TestExamplesAreClean reads each step of the rollout as accord lint does.
func TestExamplesAreClean(t *testing.T) {
	steps, err := filepath.Glob("../../examples/rollout/*-*")
	require.NoError(t, err)
	require.NotEmpty(t, steps)
	for _, step := range steps {
		archive := &txtar.Archive{Files: []txtar.File{{Name: "fleet.yaml", Data: []byte(clusters("cluster-a", "cluster-b", "cluster-c"))}}}
		manifests, err := filepath.Glob(filepath.Join(step, "*.yaml"))
		require.NoError(t, err)
		require.NotEmpty(t, manifests)
		for _, name := range manifests {
			data, err := os.ReadFile(name)
			require.NoError(t, err)
			archive.Files = append(archive.Files, txtar.File{Name: filepath.Base(name), Data: data})
		}
		require.Empty(t, findings(t, txtar.Format(archive), func(propagate.Input) {}), step)
	}
}

func clusters(names ...string) string {
	var b strings.Builder
	for _, name := range names {
		fmt.Fprintf(&b, "---\n{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: %s}}\n", name)
	}
	return b.String()
}

// findings returns the findings for a case, as a reviewer reads them.
func findings(t *testing.T, text []byte, disturb func(propagate.Input)) string {
	t.Helper()
	in, err := dump.Read(text)
	if err != nil {
		return print(mistakes(t, err))
	}
	disturb(in)
	plan, err := propagate.New(in)
	if err != nil {
		return print(mistakes(t, err))
	}
	return print(check.Run(in, plan))
}

func mistakes(t *testing.T, err error) []propagate.Finding {
	t.Helper()
	found, rest := check.Mistakes(err)
	require.NoError(t, rest)
	return found
}

func print(found []propagate.Finding) string {
	var b strings.Builder
	for _, f := range found {
		fmt.Fprintf(&b, "%s %s %s", f.Severity, f.Code, f.At)
		if f.At.Column > 0 {
			fmt.Fprintf(&b, ":%d", f.At.Column)
		}
		fmt.Fprintf(&b, " %s", f.Message)
		if f.Fix != "" {
			fmt.Fprintf(&b, " / %s", f.Fix)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func shuffle(random *rand.Rand, in propagate.Input) {
	random.Shuffle(len(in.Objects), func(i, j int) { in.Objects[i], in.Objects[j] = in.Objects[j], in.Objects[i] })
	random.Shuffle(len(in.Policies), func(i, j int) { in.Policies[i], in.Policies[j] = in.Policies[j], in.Policies[i] })
	random.Shuffle(len(in.Overrides), func(i, j int) { in.Overrides[i], in.Overrides[j] = in.Overrides[j], in.Overrides[i] })
	random.Shuffle(len(in.Fleet), func(i, j int) { in.Fleet[i], in.Fleet[j] = in.Fleet[j], in.Fleet[i] })
}
