package stage

import (
	"fmt"
	"time"

	"github.com/accord-dev/accord/api/policy"
)

// Longest is how long a rollout to all clusters of a course takes at most: for every stage its deadline as often as
// maxConcurrency makes it wait, and its soak. unbounded has what people or the calendar are waited for beside that; with
// it the time is the sum of the rest. A cluster that is lost, returns and is given new time is not in it, nor a new commit.
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
