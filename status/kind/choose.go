package kind

import "slices"

// For what does not add up there is one value of the federation, found the same way whatever the order of the answers.

// agreed is the text that all clusters have; "" if one has another, or none.
func agreed(answers []Answer, path ...string) string {
	if len(answers) == 0 {
		return ""
	}
	first := text(answers[0].Status, path...)
	if len(saying(answers, first, path...)) < len(answers) {
		return ""
	}
	return first
}

// agree puts into total what all clusters agree on, and "" for what they do not. Karmada takes the last cluster's.
func agree(total map[string]any, answers []Answer, fields ...string) {
	for _, f := range fields {
		total[f] = agreed(answers, f)
	}
}

// latest puts into total the last of the times that some cluster has, and no time where none has.
func latest(total map[string]any, answers []Answer, fields ...string) {
	for _, f := range fields {
		last := ""
		for _, a := range answers {
			last = max(last, text(a.Status, f))
		}
		if last != "" {
			total[f] = last
		}
	}
}

// started puts into total the first of the times, once every cluster has one.
func started(total map[string]any, answers []Answer, field string) {
	if first := slices.Sorted(slices.Values(times(answers, field))); len(first) > 0 {
		total[field] = first[0]
	}
}

// ended puts into total the last of the times, once every cluster has one.
func ended(total map[string]any, answers []Answer, field string) {
	if last := times(answers, field); len(last) > 0 {
		total[field] = slices.Max(last)
	}
}

// times are those of all clusters; nil if one has none.
func times(answers []Answer, field string) []string {
	var all []string
	for _, a := range answers {
		t := text(a.Status, field)
		if t == "" {
			return nil
		}
		all = append(all, t)
	}
	return all
}

// worst is the first word of order that some cluster says. A cluster that says nothing, or a word that is not in order,
// says absent; so does no cluster at all.
func worst(answers []Answer, order []string, absent string, path ...string) string {
	seen := len(order)
	for _, a := range answers {
		i := slices.Index(order, text(a.Status, path...))
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

// saying are the clusters that say a word.
func saying(answers []Answer, word string, path ...string) []string {
	return which(answers, func(a Answer) bool { return text(a.Status, path...) == word })
}

// highest is the largest number that some cluster has.
func highest(answers []Answer, path ...string) int64 {
	var most int64
	for _, a := range answers {
		most = max(most, count(a.Status, path...))
	}
	return most
}
