package text

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"
)

// Age returns how long ago t was, in kubectl's form ("41m", "2d3h"), and "-" if t is not set. A time in the future counts as
// now.
func Age(t *metav1.Time, now time.Time) string {
	if t.IsZero() || t.Unix() <= 0 {
		return "-"
	}
	return duration.HumanDuration(max(0, now.Sub(t.Time)))
}

// ForAge returns " for 41m", and "" if since is not set.
func ForAge(since *metav1.Time, now time.Time) string {
	if long := Age(since, now); long != "-" {
		return " for " + long
	}
	return ""
}
