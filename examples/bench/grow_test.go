package main

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestSmallGrowth runs the measurement with few objects: too small for figures that mean something, but for those that
// never depend on size.
func TestSmallGrowth(t *testing.T) {
	f, err := runGrow(t.Context(), growing{objects: 24, pushes: 2}, t.Output())
	require.NoError(t, err)
	require.Len(t, f.objects, 2)
	for _, of := range f.objects {
		require.Equal(t, 2, of.single.ours.requests.changing(), "one write per push: %s", of.single.ours.requests)
		require.Empty(t, of.nothing, "requests with nothing to do")
		require.Positive(t, of.rest)
	}
	var printed strings.Builder
	require.NoError(t, f.print(&printed))
	require.Regexp(t, `FIGURE +6 +24 +EXPONENT +\(1000000\) +BAR`, printed.String())
	require.Regexp(t, `writes at the member per push +1\.00 +1\.00 +0\.00 +constant +1\.00 *\n`, printed.String())
}

func TestExponentIsTheSlopeOfLogarithms(t *testing.T) {
	sizes := []int{600, 6000, 60000}
	for power, want := range map[float64]string{0: "constant", 0.5: "below linear", 1: "linear", 2: "ABOVE LINEAR"} {
		var values []float64
		for _, n := range sizes {
			values = append(values, 3*math.Pow(float64(n), power))
		}
		got, ok := exponent(sizes, values)
		require.True(t, ok)
		require.InDelta(t, power, got, 1e-9)
		require.Equal(t, want, growthOf(got))
	}
	got, ok := exponent(sizes, []float64{10, 10, 1000})
	require.True(t, ok)
	require.InDelta(t, 1, got, 1e-9, "the line of least squares through three points")

	for _, values := range [][]float64{{0, 1, 2}, {1, math.Inf(1), 2}, {math.NaN(), 1, 2}, {1, 2}} {
		_, ok := exponent(sizes, values)
		require.False(t, ok, "%v", values)
	}
	_, ok = exponent([]int{600}, []float64{1})
	require.False(t, ok, "one size shows no growth")
}

func TestGrowthOfObjectsAndMembers(t *testing.T) {
	all := &growFigures{members: &scaleFigures{scaling: scaling{objects: 100, rest: time.Minute}}}
	for _, n := range []int{600, 6000, 60000} {
		f := &figures{options: options{members: 1, objects: n, pushes: 20}, rest: 100 << 20}
		f.cold.floor.wall, f.cold.ours.wall = time.Duration(n)*time.Millisecond, time.Duration(2*n)*time.Millisecond
		f.single.floor.wall = 10 * time.Millisecond
		f.single.ours.wall = time.Duration(n) * 100 * time.Microsecond
		f.hub = requests{"POST federatedobjects": n}
		all.objects = append(all.objects, f)
	}
	for _, members := range []int{10, 100, 1000} {
		p := scalePoint{members: members, objects: 100, applied: time.Duration(members) * 50 * time.Millisecond, changed: 3 * time.Second}
		p.floor.wall, p.ready = p.applied/2, p.applied
		all.members.points = append(all.members.points, p)
	}
	var printed strings.Builder
	require.NoError(t, all.print(&printed))
	require.Contains(t, printed.String(), "600 to 60000 objects on one member.")
	require.Regexp(t, `cold: .* +1\.20 s +12\.0 s +120 s +1\.00 +linear +2000 s *\n`, printed.String())
	require.Regexp(t, `writes at the hub per object +1\.00 +1\.00 +1\.00 +0\.00 +constant +1\.00 +1\.2 +ok`, printed.String())
	require.Regexp(t, `times the floor +6\.00 x +60\.0 x +600 x +1\.00 +linear +10000 x +4 x +MISSED`, printed.String())
	require.Regexp(t, `requests with nothing to do +0 +0 +0 +- +- +0 +ok`, printed.String())
	require.Contains(t, printed.String(), "10 to 1000 members with 100 objects on each.")
	require.Regexp(t, `all applied +0\.50 s +5\.00 s +50\.0 s +1\.00 +linear +500 s *\n`, printed.String())
	require.Regexp(t, `one object changed everywhere +3\.00 s +3\.00 s +3\.00 s +0\.00 +constant +3\.00 s +1\.5 s +MISSED`, printed.String())
}

func TestCalculatedFigures(t *testing.T) {
	sizes := []int{10, 100, 1000}
	for _, c := range []struct {
		values []float64
		want   float64
	}{{[]float64{1, 10, 100}, 1000}, {[]float64{5, 5, 5}, 5}, {[]float64{100, 10, 1}, 1}} {
		got, ok := calculated(sizes, c.values, 10000)
		require.True(t, ok)
		require.InDelta(t, c.want, got, 1e-6)
	}
	_, ok := calculated(sizes, []float64{0, 1, 2}, 10000)
	require.False(t, ok)
}

func TestSizesOfGrowth(t *testing.T) {
	require.Equal(t, []int{600, 6000, 60000}, decades(60000, 6))
	require.Equal(t, []int{6, 24}, decades(24, 6))
	require.Equal(t, []int{10, 100, 1000}, scaling{members: 1000, decades: true}.sizes())
}
