package diff_test

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/internal/golden"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/diff"
	"github.com/accord-dev/accord/propagate/dump"
)

// repositories returns the inputs of the planner's cases that can be planned.
func repositories(t *testing.T) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for _, c := range golden.Cases(t, "../testdata/*.txtar") {
		in, err := dump.Read(c.Text())
		if err != nil {
			continue
		}
		if _, err := propagate.New(in); err == nil {
			all[c.Name] = c.Text()
		}
	}
	require.Greater(t, len(all), 20)
	return all
}

func loaded(t *testing.T, text []byte, random *rand.Rand) diff.Side {
	t.Helper()
	in, err := dump.Read(text)
	require.NoError(t, err)
	if random != nil {
		shuffle(random, in)
	}
	return planned(t, in)
}

// TestNothingChangesBetweenAPlanAndItself also compares with the plan of a shuffled input.
func TestNothingChangesBetweenAPlanAndItself(t *testing.T) {
	for name, text := range repositories(t) {
		before := loaded(t, text, nil)
		for _, after := range []diff.Side{before, loaded(t, text, rand.New(rand.NewPCG(1, 2)))} {
			r, err := diff.Compare(before, after, diff.Options{})
			require.NoError(t, err)
			require.True(t, r.Empty(), name)
			require.Empty(t, r.Clusters, name)
			require.Empty(t, r.Effects, name)
			require.Empty(t, r.Findings, name)
			require.Empty(t, r.Blocking(), name)
			require.Equal(t, r.Before.Digest, r.After.Digest, name)
			require.Equal(t, before.Plan.Digest(), r.After.Digest, name)
		}
	}
}

// TestOneRepositoryAfterAnother compares unrelated repositories, so that most effects occur.
func TestOneRepositoryAfterAnother(t *testing.T) {
	all := repositories(t)
	names := slices.Sorted(maps.Keys(all))
	compared, codes := 0, map[string]bool{}
	for i, first := range names {
		for _, further := range []int{1, 4, 11, 17} { // a fixed sample of all pairs
			second := names[(i+further)%len(names)]
			was, now := all[first], all[second]
			compared++
			before, after := loaded(t, was, nil), loaded(t, now, nil)
			o := diff.Options{Prune: compared%3 > 0, Key: []byte("of this test")}
			r, err := diff.Compare(before, after, o)
			require.NoError(t, err)
			require.Equal(t, before.Plan.Digest(), r.Before.Digest)
			require.Equal(t, after.Plan.Digest(), r.After.Digest)
			addsUp(t, r)
			for _, e := range r.Effects {
				codes[e.Code] = true
			}
			random := rand.New(rand.NewPCG(uint64(compared), 0))
			again, err := diff.Compare(loaded(t, was, random), loaded(t, now, random), o)
			require.NoError(t, err)
			require.Equal(t, r, again, "%s after %s, shuffled", second, first)
		}
	}
	require.Greater(t, len(codes), 10, "%v", codes)
}

// addsUp checks that the numbers of a report agree.
func addsUp(t *testing.T, r *diff.Report) {
	t.Helper()
	var clusters diff.Counts
	for _, c := range r.Clusters {
		require.NotEqual(t, diff.Counts{}, c.Counts, c.Name)
		add(&clusters, c.Counts)
	}
	require.Equal(t, r.Totals.Counts, clusters)
	require.Len(t, r.Clusters, r.Totals.Clusters)
	require.Equal(t, r.Totals.Fleet, r.Unchanged+len(r.Clusters))
	var places diff.Counts
	objects := 0
	for _, c := range r.Changes {
		objects += len(c.Objects)
		require.NotEmpty(t, c.Variants)
		for _, v := range c.Variants {
			add(&places, of(v))
			require.LessOrEqual(t, v.Places, len(c.Objects)*len(v.Clusters))
			require.GreaterOrEqual(t, v.Places, len(v.Clusters))
			require.GreaterOrEqual(t, c.Variants[0].Places, v.Places)
		}
	}
	require.Equal(t, r.Totals.Counts, places)
	require.Equal(t, r.Totals.Objects, objects)
}

// of returns the counts of a variant.
func of(v diff.Variant) diff.Counts {
	counts := diff.Counts{RestartedPods: v.RestartedPods}
	switch v.Action {
	case diff.Create:
		counts.Created = v.Places
	case diff.Modify:
		counts.Changed = v.Places
	case diff.Recreate:
		counts.Changed, counts.Recreated = v.Places, v.Places
	case diff.Delete:
		counts.Deleted = v.Places
	case diff.Keep:
		counts.Kept = v.Places
	case diff.Hold:
		counts.Held = v.Places
	case diff.Fail:
		counts.Failed = v.Places
	}
	return counts
}

func add(sum *diff.Counts, c diff.Counts) {
	sum.Created += c.Created
	sum.Changed += c.Changed
	sum.Recreated += c.Recreated
	sum.Deleted += c.Deleted
	sum.Kept += c.Kept
	sum.Held += c.Held
	sum.Failed += c.Failed
	sum.RestartedPods += c.RestartedPods
}

// TestNoSecretIsInAReport plants values and searches for them, plain and encoded, with a key and without.
func TestNoSecretIsInAReport(t *testing.T) {
	for _, name := range []string{"secrets", "secrets_all_ways"} {
		c := golden.Read(t, "testdata/"+name+".txtar")
		for _, key := range [][]byte{nil, []byte("of this test")} {
			r, err := diff.Compare(side(t, c, "before/", nil), side(t, c, "after/", nil), diff.Options{Prune: true, Key: key})
			require.NoError(t, err)
			require.NotEmpty(t, r.Changes)
			encoded, err := json.Marshal(r)
			require.NoError(t, err)
			for _, value := range []string{"planted-one", "planted-two", "planted-three", "planted-user"} {
				require.NotContains(t, string(encoded), value)
				require.NotContains(t, string(encoded), base64.StdEncoding.EncodeToString([]byte(value)))
			}
		}
	}
}

// TestProgress requires one call for every object, in order.
func TestProgress(t *testing.T) {
	text, err := os.ReadFile("../testdata/order.txtar")
	require.NoError(t, err)
	s := loaded(t, text, nil)
	calls, inside := 0, atomic.Int32{}
	_, err = diff.Compare(diff.Side{}, s, diff.Options{Progress: func(done, total int) {
		require.EqualValues(t, 1, inside.Add(1))
		calls++
		require.Equal(t, calls, done)
		require.Equal(t, len(s.Plan.Objects()), total)
		inside.Add(-1)
	}})
	require.NoError(t, err)
	require.Equal(t, len(s.Plan.Objects()), calls)
}

func TestCompareRequiresAfter(t *testing.T) {
	_, err := diff.Compare(diff.Side{}, diff.Side{}, diff.Options{})
	require.EqualError(t, err, "comparing plans: the plan after the change is missing")
}
