package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestFiguresOfAgentsStandBesideTheirBars(t *testing.T) {
	r := &agentsRound{processes: 10, scaleRound: scaleRound{scaling: scaling{objects: 100}, figures: scalePoint{members: 1000}}}
	r.points = agentFigures{
		floor: arrival{half: 500 * time.Millisecond, most: 700 * time.Millisecond}, arrivals: []arrival{{most: 5 * time.Second}, {most: 2100 * time.Millisecond}, {}}, rest: 30 * time.Second, recovered: 20 * time.Second, rewritten: 1,
		before: hubUsage{accord: 10 << 20, apiserver: 1 << 20}, waiting: hubUsage{accord: 60 << 20, apiserver: 31 << 20},
		alone: hubEffort{effort: effort{cpu: time.Second}}, quiet: hubEffort{effort: effort{cpu: 3 * time.Second}, own: time.Second},
	}
	var printed strings.Builder
	require.NoError(t, r.print(&printed))
	require.Regexp(t, `p99 +700 ms +2100 ms +3\.00 x +2 s +MISSED`, printed.String())
	require.Regexp(t, `heap and stacks +82 KiB +100 KiB +ok`, printed.String())
	require.Regexp(t, `per agent and minute +4\.0 ms +5 ms +ok`, printed.String())
	require.Regexp(t, `a new commit applied on all +20\.0 s +30 s +ok`, printed.String())
	require.Regexp(t, `other writes at the members +1 +0 +MISSED`, printed.String())
}
