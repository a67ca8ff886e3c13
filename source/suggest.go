package source

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// suggest completes the sentence "branch X not found" with the nearest existing name if one is near enough, else with
// the first few names.
func suggest[V any](name, plural string, have map[string]V) string {
	best, least := "", max(2, len(name)/3)+1
	for _, other := range slices.Sorted(maps.Keys(have)) {
		if d := distance(strings.ToLower(name), strings.ToLower(other)); d < least {
			best, least = other, d
		}
	}
	if best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return list(plural, have)
}

func list[V any](plural string, have map[string]V) string {
	const most = 5
	names := slices.Sorted(maps.Keys(have))
	switch {
	case len(names) == 0:
		return "; the repository has no " + plural
	case len(names) > most:
		return fmt.Sprintf("; the %d %s include %s", len(names), plural, strings.Join(names[:most], ", "))
	}
	return fmt.Sprintf("; %s: %s", plural, strings.Join(names, ", "))
}

// distance returns the number of letters to insert, delete, replace or swap with their neighbour to turn a into b
// (optimal string alignment).
func distance(a, b string) int {
	before, last := []int(nil), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
