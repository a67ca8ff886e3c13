package stage

import (
	"fmt"
	"time"

	"github.com/accord-dev/accord/api/policy"
)

// Longest returns the longest duration of a rollout to all clusters of a sequence: for every stage its deadline times the
// rounds that maxConcurrency makes necessary, plus its soak time. unbounded lists approvals and windows, which are not part
// of the duration. It does not include the new deadlines of clusters that return, or a new commit.
func Longest(c Sequence) (longest time.Duration, unbounded []string) {
	for _, s := range c.Stages {
		if n := len(s.Clusters); n > 0 {
			rounds := (n + s.limit(n) - 1) / s.limit(n)
			longest += time.Duration(rounds)*c.Policy.Spec.Deadline(s.RolloutStage).Length() + s.Gate.SoakDuration.Length()
		}
		if s.Gate.Approval == policy.Manual && len(s.Clusters) > 0 {
			unbounded = append(unbounded, fmt.Sprintf("stage %s waits for approval", s.Name))
		}
		if len(s.Gate.Windows) > 0 && len(s.Clusters) > 0 {
			unbounded = append(unbounded, fmt.Sprintf("stage %s waits for a window", s.Name))
		}
	}
	return longest, unbounded
}
