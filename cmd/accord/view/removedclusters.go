package view

import (
	"fmt"
	"strings"
	"time"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/text"
)

// namedLeft is the number of objects that a line names; the hub keeps ten.
const namedLeft = 3

// leftLine returns the line about one removed cluster.
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

// leftLines returns the lines about the removed clusters, the newest first, and the number of older ones.
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
