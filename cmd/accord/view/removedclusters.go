package view

import (
	"fmt"
	"strings"
	"time"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/text"
)

// namedLeft is how many objects of a cluster that left are named in a line; the hub has ten.
const namedLeft = 3

// leftLine is "eu-1 left 3m ago and keeps 12 objects: ConfigMap shop/web, Service shop/web, apps/Deployment shop/web and 9 more
// (it did not answer, and was last heard 2h ago)".
func leftLine(c v1alpha1.RemovedCluster, now time.Time) string {
	named := c.Objects[:min(len(c.Objects), namedLeft)]
	line := fmt.Sprintf("%s left %s ago and keeps %s%s", c.Cluster, text.Age(&c.Since, now), text.Count(int(c.ObjectCount), "object"), text.WithPrefix(": ", strings.Join(named, ", ")))
	if more := int(c.ObjectCount) - len(named); more > 0 && len(named) > 0 {
		line += fmt.Sprintf(" and %d more", more)
	}
	switch {
	case c.Reachable:
		return line
	case c.LastProbeTime == nil:
		return line + " (it never answered)"
	}
	return line + " (it did not answer, and was last heard " + text.Age(c.LastProbeTime, now) + " ago)"
}

// leftLines are the clusters that left, the newest first, and how many did before those.
func leftLines(left []v1alpha1.RemovedCluster, omitted int32, now time.Time) []string {
	var lines []string
	for _, c := range left {
		lines = append(lines, leftLine(c, now))
	}
	if omitted > 0 {
		lines = append(lines, fmt.Sprintf("and %s that left before", text.Count(int(omitted), "cluster")))
	}
	return lines
}
