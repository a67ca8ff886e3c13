package hunk

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/pmezard/go-difflib/difflib"
)

// lists compares two lists by the names of their items. Lists without names are compared by insertions and deletions.
func (c *comparer) lists(at place, before, after []any) {
	if b, a, ok := nameItems(at, before, after); ok {
		c.byName(at, b, a)
		return
	}
	x, y := encodeItems(before), encodeItems(after)
	if slices.Equal(slices.Sorted(slices.Values(x)), slices.Sorted(slices.Values(y))) {
		c.add(c.move(at, before, after))
		return
	}
	known := len(c.hunks)
	c.byPosition(at, before, after, x, y)
	if len(c.hunks) == known { // numbers that are equal in JSON but not equal
		c.add(c.replace(at, before, after))
	}
}

// namedItem is an item of a list with its name.
type namedItem struct {
	name  string
	value any
}

// byName compares the items in the order of after. A removed item comes at its position in before.
func (c *comparer) byName(at place, before, after []namedItem) {
	was := make(map[string]int, len(before))
	for i, e := range before {
		was[e.name] = i
	}
	stays := make(map[string]bool, len(after))
	for _, e := range after {
		stays[e.name] = true
	}
	handled := 0 // items of before up to here have been handled
	gone := func(until int) {
		for ; handled < until; handled++ {
			if e := before[handled]; !stays[e.name] {
				c.oneSided(at.item(itemLabel(e.name)), Remove, e.value)
			}
		}
	}
	c.addMove(at, before, after, was, stays)
	for _, e := range after {
		i, had := was[e.name]
		if !had {
			c.oneSided(at.item(itemLabel(e.name)), Add, e.value)
			continue
		}
		gone(i)
		c.values(at.item(itemLabel(e.name)), before[i].value, e.value)
	}
	gone(len(before))
}

// addMove adds a hunk if the items in both lists have another order than before.
func (c *comparer) addMove(at place, before, after []namedItem, was map[string]int, stays map[string]bool) {
	var x, y []any
	for _, e := range before {
		if stays[e.name] {
			x = append(x, e.name)
		}
	}
	for _, e := range after {
		if _, had := was[e.name]; had {
			y = append(y, e.name)
		}
	}
	if !equal(x, y) {
		c.add(c.move(place{path: at.path}, x, y)) // names are never secret
	}
}

// byPosition pairs equal items, then the items between them in their order. The remaining items were added or removed.
func (c *comparer) byPosition(at place, before, after []any, x, y []string) {
	for _, o := range align(x, y) {
		if o.Tag == 'e' {
			continue
		}
		i, j := o.I1, o.J1
		for ; i < o.I2 && j < o.J2; i, j = i+1, j+1 {
			c.values(at.item(strconv.Itoa(j)), before[i], after[j])
		}
		for ; i < o.I2; i++ {
			c.oneSided(at.item(strconv.Itoa(i)), Remove, before[i])
		}
		for ; j < o.J2; j++ {
			c.oneSided(at.item(strconv.Itoa(j)), Add, after[j])
		}
	}
}

// maxAlignedPairs limits the pairs of items that align compares. Longer lists are compared by index.
const maxAlignedPairs = 1 << 20

// align returns the operations that turn x into y.
func align(x, y []string) []difflib.OpCode {
	if len(x)*len(y) > maxAlignedPairs {
		return []difflib.OpCode{{Tag: 'r', I2: len(x), J2: len(y)}}
	}
	return difflib.NewMatcherWithJunk(x, y, false, nil).GetOpCodes()
}

// encodeItems returns strings that are equal if the items are.
func encodeItems(items []any) []string {
	out := make([]string, len(items))
	for i, item := range items {
		text, err := json.Marshal(item)
		if err != nil { // not JSON: equal to no other item
			text = strconv.AppendInt(nil, int64(i), 10)
		}
		out[i] = string(text)
	}
	return out
}
