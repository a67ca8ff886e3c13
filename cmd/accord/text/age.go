package text

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"
)

// Age is how long ago t was, as kubectl writes it ("41m", "2d3h"); "-" when it is not known.
// A clock that runs ahead of ours makes no negative ages.
func Age(t *metav1.Time, now time.Time) string {
	if t.IsZero() || t.Unix() <= 0 {
		return "-"
	}
	return duration.HumanDuration(max(0, now.Sub(t.Time)))
}

// ForAge is " for 41m"; empty when it is not known since when.
func ForAge(since *metav1.Time, now time.Time) string {
	if long := Age(since, now); long != "-" {
		return " for " + long
	}
	return ""
}
