package sum

import (
	"fmt"
	"slices"

	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/status/kind/internal/read"
)

// Condition returns a condition of the whole federation. Its time is the last transition of the clusters' conditions:
// that needs neither a clock nor the previous condition.
func Condition(typ, status, reason, message string, answers []Answer, from ...string) map[string]any {
	c := map[string]any{"type": typ, "status": status, "reason": reason, "message": message}
	latest := ""
	for _, a := range answers {
		for _, f := range from {
			latest = max(latest, read.Text(read.Condition(a.Status, f), "lastTransitionTime"))
		}
	}
	if latest != "" {
		c["lastTransitionTime"] = latest
	}
	return c
}

// maxNames limits the clusters that a message names before it counts the rest.
const maxNames = 5

// Names lists clusters, sorted and shortened: "a, b and 7 more".
func Names(clusters []string) string {
	return phrase.First(slices.Sorted(slices.Values(clusters)), maxNames)
}

// Which returns the clusters whose answer passes a test.
func Which(answers []Answer, passes func(Answer) bool) []string {
	var clusters []string
	for _, a := range answers {
		if passes(a) {
			clusters = append(clusters, a.Cluster)
		}
	}
	return clusters
}

// Outcome returns the condition of a job of many clusters that has ended: Failed as soon as one failed, and done when
// all are; nil before.
func Outcome(answers []Answer, done string) map[string]any {
	failed := Which(answers, func(a Answer) bool { return read.IsTrue(a.Status, "Failed") })
	ready := Which(answers, func(a Answer) bool { return read.IsTrue(a.Status, done) })
	switch {
	case len(failed) > 0:
		return Condition("Failed", "True", "JobFailed", "failed in "+Names(failed), answers, "Failed")
	case len(answers) > 0 && len(ready) == len(answers):
		return Condition(done, "True", "Completed", fmt.Sprintf("complete in %d of %d clusters", len(ready), len(answers)), answers, done)
	}
	return nil
}
