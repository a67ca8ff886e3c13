package drift

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/internal/golden"
	"github.com/accord-dev/accord/reconciler/apply/live"
)

var (
	contendedID = manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: "web"}
	midday      = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
)

// arena is a cluster with one wanted object, which is there.
type arena struct {
	Contention
	wanted string
	seen   live.Object
}

func newArena() *arena {
	return &arena{Contention: Contention{}, wanted: "d1", seen: live.Object{Digest: "d1", Intact: true}}
}

func (a *arena) digest(manifest.ID) string { return a.wanted }

func (a *arena) repaired(all []live.Drift, now time.Time) { a.Record(all, a.digest, now) }

func (a *arena) resolve(now time.Time) []*Repairs {
	return a.Resolve(a.digest, func(manifest.ID) live.Object { return a.seen }, now)
}

func by(manager string) []live.Drift {
	return []live.Drift{{ID: contendedID, Manager: manager, What: live.Changed, Fields: "data.key"}}
}

func TestContention(t *testing.T) {
	for name, c := range map[string]struct {
		repairs func(l *arena)
		want    bool
	}{
		"one repair": {func(l *arena) { l.repaired(by("hpa"), midday) }, false},
		"many in a moment": {func(l *arena) {
			for i := range contentionRepairs {
				l.repaired(by("hpa"), midday.Add(time.Duration(i)*time.Second))
			}
		}, true},
		"many in a day": {func(l *arena) {
			for i := range 10 * contentionRepairs {
				l.repaired(by("hpa"), midday.Add(time.Duration(i)*ContentionWindow))
			}
		}, false},
		"of different people": {func(l *arena) {
			for i := range 2 * contentionRepairs {
				l.repaired(by(fmt.Sprint(i%2)), midday)
			}
		}, false},
		"and Git changes it": {func(l *arena) {
			for range contentionRepairs - 1 {
				l.repaired(by("hpa"), midday)
			}
			l.wanted = "d2"
			l.repaired(by("hpa"), midday)
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			l := newArena()
			c.repairs(l)
			require.Equal(t, c.want, len(l.Lines()) == 1, "%v", l.Contention)
			require.Equal(t, c.want, l.Backoff(contendedID, l.wanted, midday) > 0)
		})
	}
}

// Repairs get rare, whatever the other does, and the first change by a person is not slowed.
func TestContendedRepairsBackOff(t *testing.T) {
	l, now, repairs := newArena(), midday, 0
	for now.Before(midday.Add(24 * time.Hour)) { // the other is back at once, every time
		l.repaired(by("hpa"), now)
		repairs++
		now = now.Add(max(time.Second, l.Backoff(contendedID, "d1", now)))
	}
	require.Less(t, repairs, 24*7, "about six an hour")
	require.Zero(t, l.Backoff(contendedID, "d2", now), "another version goes through")
	require.Len(t, l.Contention[contendedID].times, contentionRepairs, "what is remembered is bounded")
	line := l.Lines()[0]
	require.Contains(t, line, "ConfigMap shop/web data.key is changed by hpa and was repaired")
	require.Contains(t, line, "since 2026-01-02T12:00:00Z; next repair not before")
}

func TestContentionResolves(t *testing.T) {
	l := newArena()
	for range contentionRepairs {
		l.repaired(by("hpa"), midday)
	}
	require.Len(t, l.Announce(), 1)
	require.Empty(t, l.Announce(), "it is announced once")

	l.seen = live.Object{Digest: "d1"} // changed again
	require.Empty(t, l.resolve(midday.Add(24*time.Hour)), "it goes on as long as the object differs")
	l.seen = live.Object{Digest: "d1", Intact: true}
	require.Empty(t, l.resolve(midday.Add(ContentionWindow-time.Second)), "too early to say")
	require.Len(t, l.resolve(midday.Add(ContentionWindow)), 1)
	require.Empty(t, l.Contention)
}

// What was repaired a few times is forgotten, and its end emits no event.
func TestOldRepairsAreForgotten(t *testing.T) {
	l := newArena()
	l.repaired(by("hpa"), midday)
	require.Empty(t, l.resolve(midday.Add(ContentionWindow)))
	require.Empty(t, l.Contention)
}

func TestRememberedDriftIsBounded(t *testing.T) {
	var lines []string
	for i := range 3 * keptDrift {
		lines = Remember(lines, fmt.Sprint("object ", i))
		lines = Remember(lines, "the same again")
	}
	require.Len(t, lines, keptDrift)
	require.Equal(t, "the same again", lines[keptDrift-1])
}

func TestContentionPage(t *testing.T) {
	l, web := Contention{}, manifest.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}
	for i := range 7 {
		l.Record([]live.Drift{{ID: web, Manager: "hpa-operator", What: live.Changed, Fields: "spec.replicas"}},
			func(manifest.ID) string { return "d1" }, midday.Add(time.Duration(i)*time.Second))
	}
	golden.Quote(t, page, "1 object changed again and again: "+l.Lines()[0])
	require.Equal(t, []any{5, 5 * time.Minute, 30 * time.Second, 10 * time.Minute}, []any{contentionRepairs, ContentionWindow, firstRepairBackoff, lastRepairBackoff})
	golden.Quote(t, page, "repairs the same object five times within five minutes after the same field manager")
	golden.Quote(t, page, "waits half a minute after a repair, and twice as long after each further one, up to ten minutes")
}

const page = "../../../docs/concepts/delivery.md"
