package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBarsAreForOneSize(t *testing.T) {
	for _, of := range []struct {
		figure           figure
		objects, members int
		want             string
	}{
		{singleRatio, 600, 10, "2 x"}, {singleRatio, 6000, 2, "2.5 x"}, {singleRatio, 60000, 1, "4 x"}, {singleRatio, 60, 3, ""},
		{coldHubWrites, 60, 3, "1.2"}, {planChange, 50000, 10, "2 s"}, {"", 600, 10, ""},
	} {
		most, _ := row{figure: of.figure}.verdict(of.objects, of.members)
		require.Equal(t, of.want, most, "%v", of)
	}
	seen := map[bar]bool{}
	for _, b := range bars() {
		b.most, b.unit = 0, ""
		require.False(t, seen[b], "two bars of %v", b)
		seen[b] = true
	}
}

func TestMissedBarsAreMarked(t *testing.T) {
	b := bar{most: 1.2, unit: "x"}
	require.Equal(t, "ok", b.mark(0.4))
	require.Equal(t, "ok", b.mark(1.204), "shown as 1.20")
	require.Equal(t, "MISSED", b.mark(1.206))
	require.Equal(t, "MISSED", bar{}.mark(1), "none are allowed")

	var printed strings.Builder
	require.NoError(t, printRows(&printed, []row{
		{what: "fast", ratio: "1.90 x", figure: singleRatio, value: 1.9},
		{what: "slow", ratio: "2.10 x", figure: singleRatio, value: 2.1},
		{what: "other", ratio: "9.00 x"},
	}, 600, 10))
	require.Regexp(t, `fast +1\.90 x +2 x +ok\n`, printed.String())
	require.Regexp(t, `slow +2\.10 x +2 x +MISSED\n`, printed.String())
	require.Regexp(t, `other +9\.00 x *\n`, printed.String())
	require.Contains(t, printed.String(), "1 of 2 bars missed")
}
