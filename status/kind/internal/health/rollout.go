package health

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/status/kind/internal/read"
)

// Rollout is the progress of a set of equal pods.
type Rollout struct {
	Want, Replicas, Updated, Available int64
	// Due counts the pods of Want that its strategy updates; Stay explains why the others stay.
	Due  int64
	Stay string
	// Paused is the field that pauses it; empty if none does.
	Paused string
}

// Explanations of pods on an older revision.
const (
	OnDelete    = "run an older revision until their pods are deleted (OnDelete)"
	Partitioned = "stay on the older revision (partition)"
)

// StillThere returns "1 old replica is still there", "2 old replicas are still there".
func StillThere(n int64, noun string) string {
	return phrase.Count(int(n), noun) + phrase.Plural(int(n), " is", " are") + " still there"
}

// Available returns "1 of 2 available", and "2 of 2 available, 1 surplus" for 3 of 2: an update may start more pods than
// wanted (maxSurge), and a smaller number of replicas leaves some until they are deleted.
func Available(available, want int64) string {
	if available > want {
		return fmt.Sprintf("%d of %d available, %d surplus", want, want, available-want)
	}
	return fmt.Sprintf("%d of %d available", available, want)
}

func (r Rollout) Health() (Health, string) {
	paused := ""
	if r.Paused != "" {
		paused = "; paused (" + r.Paused + ")"
	}
	switch {
	case r.Updated < r.Due, r.Available < r.Want:
		return Progressing, fmt.Sprintf("%d of %d updated, %s%s", r.Updated, max(r.Due, r.Updated), Available(r.Available, r.Want), paused)
	case r.Replicas > r.Want:
		return Progressing, StillThere(r.Replicas-r.Want, "surplus replica") + paused
	case r.Updated < r.Want:
		return Healthy, fmt.Sprintf("%s; %d %s%s", Available(r.Available, r.Want), r.Want-r.Updated, r.Stay, paused)
	}
	return Healthy, Available(r.Available, r.Want) + paused
}

// Portion returns a number of pods that may be a percentage of all of them, rounded up; 0 if it is invalid.
func Portion(v any, of int64) int64 {
	if n, ok := read.Number(v); ok {
		return min(max(n, 0), of)
	}
	s, _ := v.(string)
	percent := intstr.FromString(s)
	n, err := intstr.GetScaledValueFromIntOrPercent(&percent, int(of), true)
	if err != nil {
		return 0
	}
	return min(max(int64(n), 0), of)
}
