package rehearsal

import (
	"fmt"
	"slices"
	"strings"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate/previous"
)

const (
	// namedObjects is the number of objects that a line names before it counts the others.
	namedObjects = 3
	// namedClusters is the number of clusters that a line names before it counts the others.
	namedClusters = 5
)

// Line is one line of a timeline. At and Cluster may be empty.
type Line struct{ At, Cluster, Text string }

// Lines returns one line for each moment. The last lines have the objects at the end.
func (t Timeline) Lines() []Line {
	var lines []Line
	for _, m := range t.Moments {
		lines = append(lines, Line{phrase.Duration(m.At), m.Cluster, m.sentence()})
	}
	lines = append(lines, Line{phrase.Duration(t.Lasted), "end", t.Verdict()})
	for _, e := range t.Ends {
		if e.State == NoPlace {
			lines = append(lines, Line{"", e.Cluster, e.ID.String() + " has no place: " + e.Message})
		}
	}
	return lines
}

// Head returns the columns before the text.
func (l Line) Head() string { return fmt.Sprintf("%-8s %-10s ", l.At, l.Cluster) }

// sentence returns the moment without its time and cluster.
func (m Moment) sentence() string {
	about := objects(m.Objects)
	end := ""
	if m.Terms != "" {
		end = ": " + m.Terms
	}
	are := func(rest string) string { return about + " " + phrase.Plural(len(m.Objects), "is ", "are ") + rest }
	switch m.Event {
	case Unreachable:
		return "does not answer"
	case Answers:
		return "answers again"
	case NotReady:
		return "is not Ready"
	case NoExecute:
		return "gets the taint NoExecute"
	case Ready:
		return "is Ready"
	case Evicting:
		if len(m.To) == 0 {
			return are("to leave" + end)
		}
		return are("evicted to " + clusters(m.To) + end)
	case Ailing:
		return are("unhealthy")
	case Recovers:
		return are("healthy again")
	case Kept:
		return about + " " + phrase.Plural(len(m.Objects), "keeps", "keep") + " the old copy there: nobody has set suppressDeletion of the task to false"
	case Replaced:
		return are("healthy on " + clusters(m.To))
	case Evicted:
		return are("given up there: " + m.Message)
	case Cancelled:
		return about + " " + phrase.Plural(len(m.Objects), "stays", "stay") + ": " + m.Message
	case Blocked:
		return about + " " + phrase.Plural(len(m.Objects), "stays", "stay") + ": " + m.Message
	}
	return m.Message
}

// Verdict counts the objects of the failing clusters by their states.
func (t Timeline) Verdict() string {
	count := map[State]int{}
	for _, e := range t.Ends {
		count[e.State]++
	}
	var parts []string
	add := func(n int, one, many string) {
		if n > 0 {
			parts = append(parts, phrase.Count(n, "object")+" "+phrase.Plural(n, one, many))
		}
	}
	add(count[Moved], "is healthy elsewhere", "are healthy elsewhere")
	add(count[Moving], "has another place and is not healthy there yet", "have another place and are not healthy there yet")
	add(count[Queued], "waits for its turn", "wait for their turn")
	add(count[NoPlace], "has no place", "have no place")
	add(count[Stays], "stays", "stay")
	add(t.Without, "has no failover", "have no failover")
	if len(parts) == 0 {
		return "no object is on the failing clusters"
	}
	return strings.Join(parts, ", ")
}

// objects returns "apps/Deployment shop/web, ... and 3 more".
func objects(ids []manifest.ID) string {
	var names []string
	for _, id := range ids {
		names = append(names, id.String())
	}
	return phrase.And(names, namedObjects)
}

// clusters returns "eu-1 (2), eu-2 (1)" with the replicas.
func clusters(all []previous.Cluster) string {
	var names []string
	for _, c := range slices.SortedFunc(slices.Values(all), func(a, b previous.Cluster) int { return strings.Compare(a.Name, b.Name) }) {
		if c.Replicas != nil {
			names = append(names, fmt.Sprintf("%s (%d)", c.Name, *c.Replicas))
		} else {
			names = append(names, c.Name)
		}
	}
	return phrase.List(names, namedClusters)
}
