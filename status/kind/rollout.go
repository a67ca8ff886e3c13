package kind

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/intstr"
)

// rollout is how far a set of equal pods is with what its spec says.
type rollout struct {
	want, replicas, updated, available int64
	// due is how many of want its strategy lets be updated, and stay says why the others are not.
	due  int64
	stay string
	// paused says, in brackets, which field keeps it from going on; empty when nothing does.
	paused string
}

// Why a strategy leaves pods on an older revision.
const (
	onDelete    = "run an older revision until their pods are deleted (OnDelete)"
	partitioned = "stay on the older revision (partition)"
)

func (r rollout) health() (Health, string) {
	paused := ""
	if r.paused != "" {
		paused = "; paused (" + r.paused + ")"
	}
	switch {
	case r.updated < r.due, r.available < r.want:
		return Progressing, fmt.Sprintf("%d of %d updated, %d of %d available%s", r.updated, max(r.due, r.updated), r.available, r.want, paused)
	case r.replicas > r.want:
		return Progressing, fmt.Sprintf("%d surplus replicas are still there%s", r.replicas-r.want, paused)
	case r.updated < r.want:
		return Healthy, fmt.Sprintf("%d of %d available; %d %s%s", r.available, r.want, r.want-r.updated, r.stay, paused)
	}
	return Healthy, fmt.Sprintf("%d of %d available%s", r.available, r.want, paused)
}

// portion reads a number of pods that may be a percentage of all of them, rounded up; what cannot be read is 0.
func portion(v any, of int64) int64 {
	if n, ok := number(v); ok {
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
