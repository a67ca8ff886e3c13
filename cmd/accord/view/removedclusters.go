package view

import (
	"fmt"
	"strings"
	"time"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/phrase"
)

// maxRemovedObjects is the number of objects that a line names; the hub keeps ten.
const maxRemovedObjects = 3

// removedLine returns the line about one removed cluster.
func removedLine(c v1alpha1.RemovedCluster, now time.Time) string {
	named := c.Objects[:min(len(c.Objects), maxRemovedObjects)]
	line := fmt.Sprintf("cluster %s was removed %s ago; %s left in place%s", c.Cluster, text.Age(&c.Since, now), phrase.Count(int(c.ObjectCount), "object"), text.WithPrefix(": ", strings.Join(named, ", ")))
	if more := int(c.ObjectCount) - len(named); more > 0 && len(named) > 0 {
		line += fmt.Sprintf(" and %d more", more)
	}
	switch {
	case c.Reachable:
		return line
	case c.LastProbeTime == nil:
		return line + " (never reachable)"
	}
	return line + " (unreachable; last probe " + text.Age(c.LastProbeTime, now) + " ago)"
}

// removedLines returns the lines about the removed clusters, the newest first, and the number of older ones.
func removedLines(left []v1alpha1.RemovedCluster, omitted int32, now time.Time) []string {
	var lines []string
	for _, c := range left {
		lines = append(lines, removedLine(c, now))
	}
	if omitted > 0 {
		lines = append(lines, fmt.Sprintf("and %s removed earlier", phrase.Count(int(omitted), "cluster")))
	}
	return lines
}
