package kind

import (
	"fmt"
	"slices"
	"strings"
)

// condition finds a condition by type; nil if the status has none, and a nil condition reads as all empty.
func condition(status map[string]any, typ string) map[string]any {
	for _, c := range maps(status, "conditions") {
		if text(c, "type") == typ {
			return c
		}
	}
	return nil
}

// holds says whether a condition is True.
func holds(status map[string]any, typ string) bool {
	return text(condition(status, typ), "status") == "True"
}

// why is the message of a condition, or its reason if it has no message.
func why(c map[string]any) string {
	if m := text(c, "message"); m != "" {
		return m
	}
	return text(c, "reason")
}

// keepConditions picks conditions by type, without their messages: those name pods and ReplicaSets of one cluster,
// and would be kept once for every object and cluster.
func keepConditions(status map[string]any, types ...string) []any {
	var kept []any
	for _, typ := range types {
		c := condition(status, typ)
		if c == nil {
			continue
		}
		small := map[string]any{}
		for _, f := range []string{"type", "status", "reason", "lastTransitionTime"} {
			if s := text(c, f); s != "" {
				small[f] = s
			}
		}
		kept = append(kept, small)
	}
	return kept
}

// verdict is a condition of the whole federation. Its time is the last transition among the clusters that it was
// made from: known without a clock and without the condition before.
func verdict(typ, status, reason, message string, answers []Answer, from ...string) map[string]any {
	c := map[string]any{"type": typ, "status": status, "reason": reason, "message": message}
	latest := ""
	for _, a := range answers {
		for _, f := range from {
			latest = max(latest, text(condition(a.Status, f), "lastTransitionTime"))
		}
	}
	if latest != "" {
		c["lastTransitionTime"] = latest
	}
	return c
}

// maxNames is how many clusters a message names before it counts the rest.
const maxNames = 5

// names lists clusters, sorted and shortened: "a, b and 7 more".
func names(clusters []string) string {
	clusters = slices.Sorted(slices.Values(clusters))
	if len(clusters) > maxNames {
		return fmt.Sprintf("%s and %d more", strings.Join(clusters[:maxNames], ", "), len(clusters)-maxNames)
	}
	return strings.Join(clusters, ", ")
}

// which lists the clusters whose answer passes a test.
func which(answers []Answer, passes func(Answer) bool) []string {
	var clusters []string
	for _, a := range answers {
		if passes(a) {
			clusters = append(clusters, a.Cluster)
		}
	}
	return clusters
}
