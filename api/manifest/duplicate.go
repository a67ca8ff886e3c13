package manifest

import "fmt"

// Duplicates returns an error for each title that a list has twice.
func Duplicates[T any](list []T, name func(T) (string, Origin)) []error {
	first := make(map[string]Origin, len(list))
	var errs []error
	for _, entry := range list {
		title, origin := name(entry)
		if other, seen := first[title]; seen {
			if other.Compare(origin) > 0 {
				other, origin = origin, other
			}
			errs = append(errs, Duplicate(title, other, origin))
			continue
		}
		first[title] = origin
	}
	return errs
}

// Duplicate returns the error about something that is defined twice, at the second place.
func Duplicate(what string, first, second Origin) error {
	return &Error{Origin: second, Message: fmt.Sprintf("%s is defined twice; the other definition is %s", what, first)}
}
