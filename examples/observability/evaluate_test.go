package observability_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// sample is the value of a series now, and, for counters, when the range began.
type sample struct {
	name       string
	labels     map[string]string
	value, was float64
}

// point of a result. A number is a point without labels, marked so.
type point struct {
	labels map[string]string
	value  float64
	scalar bool
}

// evaluation of expressions on samples.
type evaluation struct {
	now     float64
	samples []sample
}

// of a node: Prometheus's rules, as far as the rules file needs them. Counters are not extrapolated.
func (e evaluation) of(n *node) []point {
	switch n.op {
	case "number":
		return []point{{value: n.number, scalar: true}}
	case "selector":
		return e.selected(n)
	case "aggregate":
		return aggregate(n.name, n.by, e.of(n.args[0]))
	case "call":
		return e.call(n)
	}
	return combine(n.op, e.of(n.args[0]), e.of(n.args[1]))
}

func (e evaluation) selected(n *node) []point {
	var points []point
	for _, s := range e.samples {
		differs := func(m matcher) bool { return !m.matches(s.labels) }
		if s.name != n.name || slices.ContainsFunc(n.matchers, differs) {
			continue
		}
		value := s.value
		if n.ranged {
			value -= s.was
		}
		points = append(points, point{labels: s.labels, value: value})
	}
	return points
}

func (e evaluation) call(n *node) []point {
	switch n.name {
	case "time":
		return []point{{value: e.now, scalar: true}}
	case "increase":
		return e.of(n.args[0])
	}
	panic(fmt.Sprintf("%s is not evaluated here", n.name))
}

func aggregate(name string, by []string, points []point) []point {
	var groups []point
	at := map[string]int{}
	for _, p := range points {
		labels := map[string]string{}
		for _, label := range by {
			if value, ok := p.labels[label]; ok {
				labels[label] = value
			}
		}
		value := p.value
		if name == "count" {
			value = 1
		}
		i, known := at[key(labels)]
		switch {
		case !known:
			at[key(labels)] = len(groups)
			groups = append(groups, point{labels: labels, value: value})
		case name == "max":
			groups[i].value = max(groups[i].value, value)
		case name == "min":
			groups[i].value = min(groups[i].value, value)
		default:
			groups[i].value += value
		}
	}
	return groups
}

// combine two operands: sets by all labels, and numbers with everything.
func combine(op string, left, right []point) []point {
	has := func(points []point, p point) bool {
		return slices.ContainsFunc(points, func(q point) bool { return key(p.labels) == key(q.labels) })
	}
	switch op {
	case "or":
		return append(slices.Clone(left), slices.DeleteFunc(slices.Clone(right), func(p point) bool { return has(left, p) })...)
	case "and":
		return slices.DeleteFunc(slices.Clone(left), func(p point) bool { return !has(right, p) })
	case "unless":
		return slices.DeleteFunc(slices.Clone(left), func(p point) bool { return has(right, p) })
	}
	var points []point
	for _, l := range left {
		for _, r := range right {
			if !l.scalar && !r.scalar && key(l.labels) != key(r.labels) {
				continue
			}
			value, keep := calculate(op, l.value, r.value)
			p := point{labels: l.labels, value: value, scalar: l.scalar && r.scalar}
			if l.scalar {
				p.labels = r.labels
			}
			if keep {
				points = append(points, p)
			}
		}
	}
	return points
}

// calculate or compare; a comparison keeps the left side or drops it.
func calculate(op string, l, r float64) (value float64, keep bool) {
	switch op {
	case "+":
		return l + r, true
	case "-":
		return l - r, true
	case "*":
		return l * r, true
	case "/":
		return l / r, true
	}
	return l, map[string]bool{"==": l == r, "!=": l != r, ">": l > r, "<": l < r, ">=": l >= r, "<=": l <= r}[op]
}

// key identifies labels.
func key(labels map[string]string) string {
	var pairs []string
	for _, label := range slices.Sorted(maps.Keys(labels)) {
		pairs = append(pairs, fmt.Sprintf("%s=%q", label, labels[label]))
	}
	return "{" + strings.Join(pairs, ",") + "}"
}
