package state

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/reconciler/apply/live"
)

var (
	contendedID = manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: "web"}
	midday      = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
)

// arena returns a cluster with one object that is as wanted.
func arena() *cluster {
	l := &cluster{desired: desired{wants: wants{}}}
	l.wants.set(contendedID, want{digest: "d1"})
	l.live.Put(contendedID, live.Object{Digest: "d1", Intact: true})
	return l
}

func by(manager string) []live.Drift {
	return []live.Drift{{ID: contendedID, Manager: manager, What: live.Changed, Fields: "data.key"}}
}

func TestContention(t *testing.T) {
	for name, c := range map[string]struct {
		repairs func(l *cluster)
		want    bool
	}{
		"one repair": {func(l *cluster) { l.repaired(by("hpa"), midday) }, false},
		"many in a moment": {func(l *cluster) {
			for i := range contentionRepairs {
				l.repaired(by("hpa"), midday.Add(time.Duration(i)*time.Second))
			}
		}, true},
		"many in a day": {func(l *cluster) {
			for i := range 10 * contentionRepairs {
				l.repaired(by("hpa"), midday.Add(time.Duration(i)*contentionWindow))
			}
		}, false},
		"of different people": {func(l *cluster) {
			for i := range 2 * contentionRepairs {
				l.repaired(by(fmt.Sprint(i%2)), midday)
			}
		}, false},
		"and Git changes it": {func(l *cluster) {
			for range contentionRepairs - 1 {
				l.repaired(by("hpa"), midday)
			}
			l.wants.set(contendedID, want{digest: "d2"})
			l.repaired(by("hpa"), midday)
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			l := arena()
			c.repairs(l)
			require.Equal(t, c.want, len(l.contention.lines()) == 1, "%v", l.contention)
			require.Equal(t, c.want, l.contention.backoff(contendedID, l.wants.of(contendedID).digest, midday) > 0)
		})
	}
}

// Repairs get rare, whatever the other does, and the first change by a person is not slowed.
func TestContendedRepairsBackOff(t *testing.T) {
	l, now, repairs := arena(), midday, 0
	for now.Before(midday.Add(24 * time.Hour)) { // the other is back at once, every time
		l.repaired(by("hpa"), now)
		repairs++
		now = now.Add(max(time.Second, l.contention.backoff(contendedID, "d1", now)))
	}
	require.Less(t, repairs, 24*7, "about six an hour")
	require.Zero(t, l.contention.backoff(contendedID, "d2", now), "another version goes through")
	require.Len(t, l.contention[contendedID].times, contentionRepairs, "what is remembered is bounded")
	line := l.contention.lines()[0]
	require.Contains(t, line, "ConfigMap shop/web data.key is changed by hpa and was repaired")
	require.Contains(t, line, "since 2026-01-02T12:00:00Z; next repair not before")
}

func TestContentionResolves(t *testing.T) {
	l := arena()
	for range contentionRepairs {
		l.repaired(by("hpa"), midday)
	}
	require.Len(t, l.contention.unpublished(), 1)
	l.contention[contendedID].published = true
	require.Empty(t, l.contention.unpublished(), "told once")

	l.live.Put(contendedID, live.Object{Digest: "d1"}) // changed again
	require.Empty(t, l.resolve(midday.Add(24*time.Hour)), "it goes on as long as the object differs")
	l.live.Put(contendedID, live.Object{Digest: "d1", Intact: true})
	require.Empty(t, l.resolve(midday.Add(contentionWindow-time.Second)), "too early to say")
	require.Len(t, l.resolve(midday.Add(contentionWindow)), 1)
	require.Empty(t, l.contention)
}

// What was repaired a few times is forgotten, and nobody is told of its end.
func TestOldRepairsAreForgotten(t *testing.T) {
	l := arena()
	l.repaired(by("hpa"), midday)
	require.Empty(t, l.resolve(midday.Add(contentionWindow)))
	require.Empty(t, l.contention)
}

func TestRememberedDriftIsBounded(t *testing.T) {
	var lines []string
	for i := range 3 * keptDrift {
		lines = remember(lines, fmt.Sprint("object ", i))
		lines = remember(lines, "the same again")
	}
	require.Len(t, lines, keptDrift)
	require.Equal(t, "the same again", lines[keptDrift-1])
}
