package kind

import "slices"

// maxGroups is how many groups of pods of one object (tasks, replica types, applications) are told apart. Further ones are
// left out, the last by name first: nobody has that many, and an aggregate stays small.
const maxGroups = 8

// some are the keys of a map of groups, sorted, and not more than are told apart.
func some(groups map[string]any) []string {
	keys := make([]string, 0, len(groups))
	for k := range groups {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys[:min(len(keys), maxGroups)]
}

// keysIn are the keys of a map in all answers, sorted, and not more than are told apart.
func keysIn(answers []Answer, path ...string) []string {
	all := map[string]any{}
	for _, a := range answers {
		for k := range object(a.Status, path...) {
			all[k] = nil
		}
	}
	return some(all)
}
