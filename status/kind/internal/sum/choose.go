package sum

import (
	"slices"

	"github.com/accord-dev/accord/status/kind/internal/read"
)

// Agreed returns the text that all clusters have; "" if one has another, or none.
func Agreed(answers []Answer, path ...string) string {
	if len(answers) == 0 {
		return ""
	}
	first := read.Text(answers[0].Status, path...)
	if len(having(answers, first, path...)) < len(answers) {
		return ""
	}
	return first
}

// Agree sets fields of total to the text that all clusters have, and to "" where they differ. Karmada takes the last
// cluster's.
func Agree(total map[string]any, answers []Answer, fields ...string) {
	for _, f := range fields {
		total[f] = Agreed(answers, f)
	}
}

// Latest sets fields of total to the last of the clusters' times, unless no cluster has one.
func Latest(total map[string]any, answers []Answer, fields ...string) {
	for _, f := range fields {
		last := ""
		for _, a := range answers {
			last = max(last, read.Text(a.Status, f))
		}
		if last != "" {
			total[f] = last
		}
	}
}

// Started sets a field of total to the first of the clusters' times, once every cluster has one.
func Started(total map[string]any, answers []Answer, field string) {
	if first := slices.Sorted(slices.Values(times(answers, field))); len(first) > 0 {
		total[field] = first[0]
	}
}

// Ended sets a field of total to the last of the clusters' times, once every cluster has one.
func Ended(total map[string]any, answers []Answer, field string) {
	if last := times(answers, field); len(last) > 0 {
		total[field] = slices.Max(last)
	}
}

// times returns those of all clusters; nil if one has none.
func times(answers []Answer, field string) []string {
	var all []string
	for _, a := range answers {
		t := read.Text(a.Status, field)
		if t == "" {
			return nil
		}
		all = append(all, t)
	}
	return all
}

// Worst returns the first word of order that some cluster has. A cluster without a word of order counts as absent; so
// does no cluster at all.
func Worst(answers []Answer, order []string, absent string, path ...string) string {
	seen := len(order)
	for _, a := range answers {
		i := slices.Index(order, read.Text(a.Status, path...))
		if i < 0 {
			i = slices.Index(order, absent)
		}
		seen = min(seen, i)
	}
	if seen == len(order) {
		return absent
	}
	return order[seen]
}

// having returns the clusters that have a word.
func having(answers []Answer, word string, path ...string) []string {
	return Which(answers, func(a Answer) bool { return read.Text(a.Status, path...) == word })
}

// Highest returns the largest number that some cluster has.
func Highest(answers []Answer, path ...string) int64 {
	var most int64
	for _, a := range answers {
		most = max(most, read.Count(a.Status, path...))
	}
	return most
}

// WorstPhase aggregates phases: the first of order that some cluster is in. A cluster without an answer, and a phase
// that is not in order, count as "Pending"; so does no cluster at all.
func WorstPhase(order ...string) func([]Answer) map[string]any {
	return func(answers []Answer) map[string]any {
		return map[string]any{"phase": Worst(answers, order, "Pending", "phase")}
	}
}
