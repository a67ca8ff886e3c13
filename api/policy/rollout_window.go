package policy

import (
	"cmp"
	"slices"
	"time"
	_ "time/tzdata" // containers have no time zone database
)

// Window is a time of the week.
type Window struct {
	// Days are Mon, Tue, Wed, Thu, Fri, Sat and Sun; without days the window applies every day.
	// +kubebuilder:validation:items:Enum=Mon;Tue;Wed;Thu;Fri;Sat;Sun
	Days []string `json:"days,omitempty"`
	// From is the time of day at which the window begins, "09:00"; 00:00 by default.
	From string `json:"from,omitempty"`
	// To is the time of day at which the window ends, "17:30"; 00:00 by default. If To is not after From, it is on the
	// next day.
	To string `json:"to,omitempty"`
	// TimeZone is a name in the IANA database, "Europe/Berlin"; UTC by default.
	TimeZone string `json:"timeZone,omitempty"`
}

// days holds the names of the days, indexed by time.Weekday.
var days = [...]string{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"}

const clock = "15:04"

// Opens returns the next time at which the window is open; now if it is open. ok is false if it never opens.
func (w Window) Opens(now time.Time) (at time.Time, ok bool) {
	zone, err := time.LoadLocation(cmp.Or(w.TimeZone, "UTC"))
	if err != nil {
		return time.Time{}, false
	}
	local := now.In(zone)
	for day := -1; day <= 8; day++ {
		from, to, ok := w.on(local.AddDate(0, 0, day))
		switch {
		case !ok || !now.Before(to) || !from.Before(to):
		case now.Before(from):
			return from, true
		default:
			return now, true
		}
	}
	return time.Time{}, false
}

// on returns the beginning and end of the window that begins on the day of t; ok is false if none does.
func (w Window) on(t time.Time) (from, to time.Time, ok bool) {
	if len(w.Days) > 0 && !slices.Contains(w.Days, days[t.Weekday()]) {
		return time.Time{}, time.Time{}, false
	}
	begin, err := time.Parse(clock, cmp.Or(w.From, "00:00"))
	if err != nil {
		return time.Time{}, time.Time{}, false
	}
	end, err := time.Parse(clock, cmp.Or(w.To, "00:00"))
	if err != nil {
		return time.Time{}, time.Time{}, false
	}
	at := func(clock time.Time, days int) time.Time {
		return time.Date(t.Year(), t.Month(), t.Day()+days, clock.Hour(), clock.Minute(), 0, 0, t.Location())
	}
	if !end.After(begin) {
		return at(begin, 0), at(end, 1), true
	}
	return at(begin, 0), at(end, 0), true
}

// Open returns the next time at which one of the windows is open; now if one is open or if there are none. ok is
// false if none ever opens.
func Open(windows []Window, now time.Time) (at time.Time, ok bool) {
	if len(windows) == 0 {
		return now, true
	}
	for _, w := range windows {
		if opens, will := w.Opens(now); will && (!ok || opens.Before(at)) {
			at, ok = opens, true
		}
	}
	return at, ok
}
