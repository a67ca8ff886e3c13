package reconciler

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/reconciler/apply/live"
)

var (
	foughtOver = manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: "web"}
	midday     = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
)

// arena is a leg with one object that is as it should be.
func arena() *leg {
	l := &leg{wants: wants{}}
	l.wants.set(foughtOver, want{digest: "d1"})
	l.live.Put(foughtOver, live.Object{Digest: "d1", Intact: true})
	return l
}

func by(manager string) []live.Drift {
	return []live.Drift{{ID: foughtOver, Manager: manager, What: live.Changed, Fields: "data.key"}}
}

func TestWhatIsAFight(t *testing.T) {
	for name, c := range map[string]struct {
		repairs func(l *leg)
		want    bool
	}{
		"one repair": {func(l *leg) { l.repaired(by("hpa"), midday) }, false},
		"many in a moment": {func(l *leg) {
			for i := range fightSize {
				l.repaired(by("hpa"), midday.Add(time.Duration(i)*time.Second))
			}
		}, true},
		"many in a day": {func(l *leg) {
			for i := range 10 * fightSize {
				l.repaired(by("hpa"), midday.Add(time.Duration(i)*fightWindow))
			}
		}, false},
		"of different people": {func(l *leg) {
			for i := range 2 * fightSize {
				l.repaired(by(fmt.Sprint(i%2)), midday)
			}
		}, false},
		"and Git changes it": {func(l *leg) {
			for range fightSize - 1 {
				l.repaired(by("hpa"), midday)
			}
			l.wants.set(foughtOver, want{digest: "d2"})
			l.repaired(by("hpa"), midday)
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			l := arena()
			c.repairs(l)
			require.Equal(t, c.want, len(l.fights.lines()) == 1, "%v", l.fights)
			require.Equal(t, c.want, l.fights.truce(foughtOver, l.wants.of(foughtOver).digest, midday) > 0)
		})
	}
}

// Repairs get rare, whatever the other does, and the first change by a person is not slowed.
func TestFightsAreSlowed(t *testing.T) {
	l, now, repairs := arena(), midday, 0
	for now.Before(midday.Add(24 * time.Hour)) { // the other is back at once, every time
		l.repaired(by("hpa"), now)
		repairs++
		now = now.Add(max(time.Second, l.fights.truce(foughtOver, "d1", now)))
	}
	require.Less(t, repairs, 24*7, "about six an hour")
	require.Zero(t, l.fights.truce(foughtOver, "d2", now), "another version goes through")
	require.Len(t, l.fights[foughtOver].repairs, fightSize, "what is remembered is bounded")
	line := l.fights.lines()[0]
	require.Contains(t, line, "ConfigMap shop/web data.key is changed by hpa, and was put right")
	require.Contains(t, line, "since 2026-01-02T12:00:00Z; next not before")
}

func TestFightsEnd(t *testing.T) {
	l := arena()
	for range fightSize {
		l.repaired(by("hpa"), midday)
	}
	require.Len(t, l.fights.begun(), 1)
	l.fights[foughtOver].told = true
	require.Empty(t, l.fights.begun(), "told once")

	l.live.Put(foughtOver, live.Object{Digest: "d1"}) // changed again
	require.Empty(t, l.calm(midday.Add(24*time.Hour)), "it goes on as long as the object differs")
	l.live.Put(foughtOver, live.Object{Digest: "d1", Intact: true})
	require.Empty(t, l.calm(midday.Add(fightWindow-time.Second)), "too early to say")
	require.Len(t, l.calm(midday.Add(fightWindow)), 1)
	require.Empty(t, l.fights)
}

// What was repaired a few times is forgotten, and nobody is told of its end.
func TestOldRepairsAreForgotten(t *testing.T) {
	l := arena()
	l.repaired(by("hpa"), midday)
	require.Empty(t, l.calm(midday.Add(fightWindow)))
	require.Empty(t, l.fights)
}

func TestRememberedDriftIsBounded(t *testing.T) {
	var lines []string
	for i := range 3 * keptDrift {
		lines = remembered(lines, fmt.Sprint("object ", i))
		lines = remembered(lines, "the same again")
	}
	require.Len(t, lines, keptDrift)
	require.Equal(t, "the same again", lines[keptDrift-1])
}
