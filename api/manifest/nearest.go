package manifest

import (
	"fmt"
	"slices"
	"strings"
)

// Nearest returns the candidate that was probably meant by name: the one with the fewest edits, at most a third of
// its length; else the only one that contains name or is contained in it; else the one with the longest common part.
// It returns "" if no candidate is near, or if several are equally near. Case is ignored.
func Nearest(name string, candidates []string) string {
	best, least, tied := "", 0, false
	for _, c := range candidates {
		d := distance(strings.ToLower(name), strings.ToLower(c))
		switch {
		case d > max(1, (max(len(name), len(c))+1)/3), d >= max(len(name), len(c)):
		case best == "" || d < least:
			best, least, tied = c, d, false
		case d == least && c != best:
			tied = true
		}
	}
	if tied {
		return ""
	}
	if best != "" || len(name) < 3 {
		return best // two letters match almost anything
	}
	return overlapping(strings.ToLower(name), candidates)
}

// DidYouMean returns `; did you mean "web"?`, or "" if no candidate is near.
func DidYouMean(name string, candidates []string) string {
	if near := Nearest(name, candidates); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}

// overlapping returns the only candidate that contains name or is contained in it. If there are several, the choice
// is ambiguous; if there is none, commonWords may find one.
func overlapping(name string, candidates []string) string {
	var found []string
	for _, c := range candidates {
		lower := strings.ToLower(c)
		if strings.Contains(lower, name) || len(c) >= 3 && strings.Contains(name, lower) {
			found = append(found, c)
		}
	}
	switch len(found) {
	case 0:
		return commonWords(name, candidates)
	case 1:
		return found[0]
	}
	return ""
}

// commonWords returns the candidate that begins like name and continues with a run of its letters, if both together
// make up half of either: staticClusterWeight is nearer to staticWeightList than the number of edits suggests.
func commonWords(name string, candidates []string) string {
	best, longest := "", 0
	for _, c := range slices.Sorted(slices.Values(candidates)) {
		lower := strings.ToLower(c)
		start := commonPrefix(name, lower)
		n := start + commonRun(name[start:], lower)
		if n > longest && 2*n >= len(name) && 2*n >= len(c) {
			best, longest = c, n
		}
	}
	return best
}

func commonPrefix(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// commonRun returns the length of the longest common substring of a and b.
func commonRun(a, b string) int {
	longest := 0
	row := make([]int, len(b)+1)
	for i := range len(a) {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] != b[j] {
				row[j+1] = 0
				continue
			}
			row[j+1] = row[j] + 1
			longest = max(longest, row[j+1])
		}
	}
	return longest
}

// distance returns the number of letters to insert, delete, replace or swap with their neighbour (optimal string
// alignment).
func distance(a, b string) int {
	var before, last []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(row[j]+1, last[j+1]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
