package hunk

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/pmezard/go-difflib/difflib"
)

// items compares two lists: by what their items are called if they have names, else by what has been put in and taken out.
func (c *comparer) items(at place, before, after []any) {
	if b, a, ok := named(at, before, after); ok {
		c.byName(at, b, a)
		return
	}
	x, y := tokens(before), tokens(after)
	if slices.Equal(slices.Sorted(slices.Values(x)), slices.Sorted(slices.Values(y))) {
		c.add(c.move(at, before, after))
		return
	}
	told := len(c.hunks)
	c.byPosition(at, before, after, x, y)
	if len(c.hunks) == told { // numbers that JSON writes alike and that are not equal
		c.add(c.replace(at, before, after))
	}
}

// entry is an item of a list with the name that it has there.
type entry struct {
	name  string
	value any
}

// byName goes through the items in the order of after; what has gone is told where it was.
func (c *comparer) byName(at place, before, after []entry) {
	was := make(map[string]int, len(before))
	for i, e := range before {
		was[e.name] = i
	}
	stays := make(map[string]bool, len(after))
	for _, e := range after {
		stays[e.name] = true
	}
	told := 0 // items of before up to here, if they have gone, have been told
	gone := func(until int) {
		for ; told < until; told++ {
			if e := before[told]; !stays[e.name] {
				c.lone(at.item(itemLabel(e.name)), Remove, e.value)
			}
		}
	}
	c.order(at, before, after, was, stays)
	for _, e := range after {
		i, had := was[e.name]
		if !had {
			c.lone(at.item(itemLabel(e.name)), Add, e.value)
			continue
		}
		gone(i)
		c.values(at.item(itemLabel(e.name)), before[i].value, e.value)
	}
	gone(len(before))
}

// order tells whether the items that stay have another order than before.
func (c *comparer) order(at place, before, after []entry, was map[string]int, stays map[string]bool) {
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
		c.add(c.move(place{path: at.path}, x, y)) // what is secret has no name
	}
}

// byPosition pairs the items that are equal, then those between them in their order; what is left has come or gone.
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
			c.lone(at.item(strconv.Itoa(i)), Remove, before[i])
		}
		for ; j < o.J2; j++ {
			c.lone(at.item(strconv.Itoa(j)), Add, after[j])
		}
	}
}

// longList is how many pairs of items are compared to find out what has moved where; beyond, position decides.
const longList = 1 << 20

// align finds what two lists have in common.
func align(x, y []string) []difflib.OpCode {
	if len(x)*len(y) > longList {
		return []difflib.OpCode{{Tag: 'r', I2: len(x), J2: len(y)}}
	}
	return difflib.NewMatcherWithJunk(x, y, false, nil).GetOpCodes()
}

// tokens are texts that are equal if the items are.
func tokens(items []any) []string {
	out := make([]string, len(items))
	for i, item := range items {
		text, err := json.Marshal(item)
		if err != nil { // not JSON: equal to nothing
			text = strconv.AppendInt(nil, int64(i), 10)
		}
		out[i] = string(text)
	}
	return out
}
