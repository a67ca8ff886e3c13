package sum

import (
	"fmt"
	"slices"

	"github.com/accord-dev/accord/status/kind/internal/read"
)

// Merge returns one condition of each type for all clusters: the worst status wins, and the message names its clusters.
// well is the good status: "True" of Ready, "False" of Stalled. A cluster that runs another version is Unknown, and so
// is one without the condition, unless absence is good. Types that no cluster reports are omitted.
func Merge(answers []Answer, well string, types ...string) []any {
	var merged []any
	for _, typ := range types {
		if len(Which(answers, func(a Answer) bool { return read.Condition(a.Status, typ) != nil })) > 0 {
			merged = append(merged, mergeOne(answers, well, typ))
		}
	}
	return merged
}

func mergeOne(answers []Answer, well, typ string) map[string]any {
	clusters, reasons := map[string][]string{}, map[string][]string{}
	for _, a := range answers {
		status, reason := reported(a, well, typ)
		clusters[status] = append(clusters[status], a.Cluster)
		reasons[status] = append(reasons[status], reason)
	}
	message := fmt.Sprintf("%s in %d of %d clusters", well, len(clusters[well]), len(answers))
	result := well
	for _, status := range []string{"Unknown", opposite(well)} { // the worst comes last
		if len(clusters[status]) > 0 {
			message += fmt.Sprintf("; %s in %s", status, Names(clusters[status]))
			result = status
		}
	}
	return Condition(typ, result, mostCommon(reasons[result]), message, answers, typ)
}

// reported returns the status and the reason of a condition as far as it refers to the wanted object.
func reported(a Answer, well, typ string) (status, reason string) {
	c := read.Condition(a.Status, typ)
	status = read.Text(c, "status")
	switch {
	case !a.Current, c == nil && well == "True":
		return "Unknown", ""
	case c == nil:
		return well, ""
	case status != "True" && status != "False":
		status = "Unknown"
	}
	return status, read.Text(c, "reason")
}

func opposite(well string) string {
	if well == "True" {
		return "False"
	}
	return "True"
}

// mostCommon returns the reason that most clusters give, the first by name of several. A condition needs a reason: if
// no cluster gives one, it is Progressing.
func mostCommon(reasons []string) string {
	best, times := "Progressing", 0
	given := map[string]int{}
	for _, r := range slices.Sorted(slices.Values(reasons)) {
		if r == "" {
			continue
		}
		if given[r]++; given[r] > times {
			best, times = r, given[r]
		}
	}
	return best
}
