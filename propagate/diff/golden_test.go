package diff_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/golden"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/diff"
	"github.com/accord-dev/accord/propagate/dump"
)

// TestReports compares the two repositories of every case in testdata: prose on top, the files before and after below
// (files outside both folders are in both), and the report last. Each case also runs with its input shuffled.
func TestReports(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, c *golden.Case) {
		got := printed(report(t, c, nil))
		c.Equal(t, "want", got)
		for seed := range uint64(3) {
			require.Equal(t, got, printed(report(t, c, rand.New(rand.NewPCG(seed, 0)))), "shuffled, seed %d", seed)
		}
	})
}

// TestEveryEffectHasACase requires a case for every effect, named after its code.
func TestEveryEffectHasACase(t *testing.T) {
	for _, kind := range diff.Effects() {
		c := golden.Read(t, "testdata/"+strings.ReplaceAll(kind.Code, "-", "_")+".txtar")
		require.Contains(t, string(c.Part("want")), " "+kind.Code+": ")
		require.NotEmpty(t, kind.Summary)
	}
}

// setting is the part "options" of a case.
type setting struct {
	Prune       *bool                  `json:"prune"`
	PruneLimits v1alpha1.PruneLimits   `json:"pruneLimits"`
	AllowPrune  bool                   `json:"allowPrune"`
	Nothing     bool                   `json:"nothing"` // no plan before
	Observed    map[string]observation `json:"observed"`
}

type observation struct {
	Unreachable     bool            `json:"unreachable"`
	UnreachableFor  metav1.Duration `json:"unreachableFor"`
	Revision        string          `json:"revision"`
	RevisionsBehind int             `json:"revisionsBehind"`
}

// options returns the options of a case. Prune is true unless the case sets it.
func options(t testing.TB, c *golden.Case) (diff.Options, bool) {
	t.Helper()
	var s setting
	require.NoError(t, yaml.UnmarshalStrict(c.Part("options"), &s))
	o := diff.Options{Key: []byte("of this test"), Prune: s.Prune == nil || *s.Prune, PruneLimits: s.PruneLimits, AllowPrune: s.AllowPrune, Observed: map[string]diff.Observation{}}
	for name, seen := range s.Observed {
		o.Observed[name] = diff.Observation{Unreachable: seen.Unreachable, UnreachableFor: time.Duration(seen.UnreachableFor.Duration), Revision: seen.Revision, RevisionsBehind: seen.RevisionsBehind}
	}
	return o, s.Nothing
}

// report compares the sides of a case; random may be nil.
func report(t testing.TB, c *golden.Case, random *rand.Rand) *diff.Report {
	t.Helper()
	o, nothing := options(t, c)
	after := side(t, c, "after/", random)
	before := diff.Side{}
	if !nothing {
		before = side(t, c, "before/", random)
	}
	r, err := diff.Compare(before, after, o)
	require.NoError(t, err)
	require.Equal(t, after.Plan.Digest(), r.After.Digest)
	if !nothing {
		require.Equal(t, before.Plan.Digest(), r.Before.Digest)
	}
	return r
}

// side returns the plan of one folder of a case together with the files outside both folders.
func side(t testing.TB, c *golden.Case, folder string, random *rand.Rand) diff.Side {
	t.Helper()
	all := &txtar.Archive{}
	for _, f := range c.Files {
		if name, in := strings.CutPrefix(f.Name, folder); in {
			all.Files = append(all.Files, txtar.File{Name: name, Data: f.Data})
		} else if !strings.Contains(f.Name, "/") && f.Name != "want" && f.Name != "options" {
			all.Files = append(all.Files, f)
		}
	}
	in, err := dump.Read(txtar.Format(all))
	require.NoError(t, err)
	if random != nil {
		shuffle(random, in)
	}
	return planned(t, in)
}

func planned(t testing.TB, in propagate.Input) diff.Side {
	t.Helper()
	plan, err := propagate.New(in)
	require.NoError(t, err)
	return diff.Side{Input: in, Plan: plan}
}

func shuffle(random *rand.Rand, in propagate.Input) {
	random.Shuffle(len(in.Objects), func(i, j int) { in.Objects[i], in.Objects[j] = in.Objects[j], in.Objects[i] })
	random.Shuffle(len(in.Policies), func(i, j int) { in.Policies[i], in.Policies[j] = in.Policies[j], in.Policies[i] })
	random.Shuffle(len(in.Overrides), func(i, j int) { in.Overrides[i], in.Overrides[j] = in.Overrides[j], in.Overrides[i] })
	random.Shuffle(len(in.Fleet), func(i, j int) { in.Fleet[i], in.Fleet[j] = in.Fleet[j], in.Fleet[i] })
}
