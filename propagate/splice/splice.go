// Package splice replaces a few entries of long sorted lists, and compares such lists.
package splice

import (
	"iter"
	"slices"
)

// List returns a sorted list without the entries of out and with those of in. All three are sorted by compare, and the list has the
// entries of out. unique is false if the list has an entry of in already.
func List[T any](list, out, in []T, compare func(a, b T) int) (result []T, unique bool) {
	result, unique = make([]T, 0, len(list)-len(out)+len(in)), true
	for len(out)+len(in) > 0 {
		leaves := len(in) == 0 || len(out) > 0 && compare(out[0], in[0]) <= 0
		enters := len(out) == 0 || len(in) > 0 && compare(out[0], in[0]) >= 0
		var x T
		if leaves {
			x, out = out[0], out[1:]
		} else {
			x = in[0]
		}
		at, known := slices.BinarySearchFunc(list, x, compare)
		result, list = append(result, list[:at]...), list[at:]
		if leaves {
			list = list[1:]
		}
		if enters {
			unique = unique && known == leaves && (len(result) == 0 || compare(result[len(result)-1], in[0]) != 0)
			result, in = append(result, in[0]), in[1:]
		}
	}
	return append(result, list...), unique
}

// Edit is a place where a list differs from the one that List makes of it: By is 0 if the entry at place At is replaced, -1 if it is removed, and
// 1 if one is inserted before it.
type Edit struct{ At, By int }

// Edits returns the places where a list differs from the one that List makes of it, in order.
func Edits[T any](list, out, in []T, compare func(a, b T) int) []Edit {
	var edits []Edit
	for len(out)+len(in) > 0 {
		leaves := len(in) == 0 || len(out) > 0 && compare(out[0], in[0]) <= 0
		enters := len(out) == 0 || len(in) > 0 && compare(out[0], in[0]) >= 0
		e := Edit{}
		if enters {
			e.At, _ = slices.BinarySearchFunc(list, in[0], compare)
			e.By, in = e.By+1, in[1:]
		}
		if leaves {
			e.At, _ = slices.BinarySearchFunc(list, out[0], compare)
			e.By, out = e.By-1, out[1:]
		}
		edits = append(edits, e)
	}
	return edits
}

// mostSought is the number of entries up to which it takes less time to search for each than to look at the whole list.
const mostSought = 16

// Places returns the places of some entries of a list, in any order.
func Places[T comparable](list []T, some map[T]bool) []int {
	var places []int
	if len(some) <= mostSought {
		for x := range some {
			places = append(places, slices.Index(list, x))
		}
		return places
	}
	for at, x := range list {
		if some[x] {
			places = append(places, at)
		}
	}
	return places
}

// Pairs iterates over two sorted lists at once: over the entries that compare as equal, with the zero value where a list lacks one.
func Pairs[T any](a, b []T, compare func(a, b T) int) iter.Seq2[T, T] {
	return func(yield func(x, y T) bool) {
		a, b := a, b // for another iteration
		for len(a)+len(b) > 0 {
			var x, y T
			order := 0
			switch {
			case len(a) == 0:
				order = 1
			case len(b) == 0:
				order = -1
			default:
				order = compare(a[0], b[0])
			}
			if order <= 0 {
				x, a = a[0], a[1:]
			}
			if order >= 0 {
				y, b = b[0], b[1:]
			}
			if !yield(x, y) {
				return
			}
		}
	}
}
