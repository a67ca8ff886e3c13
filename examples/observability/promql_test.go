package observability_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The part of PromQL that the dashboard and the rules are written in. Prometheus's own parser would bring all of Prometheus
// into the module, for tests of an example.

// node is an expression: a number, a selector, a call, an aggregation or two operands.
type node struct {
	op       string // "number", "selector", "call", "aggregate", or the operator of two operands
	name     string // of the metric, the function or the aggregation
	number   float64
	matchers []matcher
	ranged   bool // selector[1h]
	by       []string
	args     []*node
}

// matcher is label op "value".
type matcher struct{ label, op, value string }

func (m matcher) matches(labels map[string]string) bool {
	got := labels[m.label]
	switch m.op {
	case "=":
		return got == m.value
	case "!=":
		return got != m.value
	}
	is := regexp.MustCompile("^(?:" + m.value + ")$").MatchString(got)
	return is == (m.op == "=~")
}

// walk calls f for a node and all below it.
func (n *node) walk(f func(*node)) {
	f(n)
	for _, arg := range n.args {
		arg.walk(f)
	}
}

// tokens of PromQL: durations stand in brackets only, and Grafana's variables in them.
var tokens = regexp.MustCompile(`\s*("(?:[^"\\]|\\.)*"|\[[^\]]*\]|[0-9]+(?:\.[0-9]+)?|[a-zA-Z_:][a-zA-Z0-9_:]*|=~|!~|==|!=|>=|<=|[-+*/<>=(){},])`)

// levels are the operators from the one that binds least.
var levels = [][]string{{"or"}, {"and", "unless"}, {"==", "!=", ">=", "<=", ">", "<"}, {"+", "-"}, {"*", "/"}}

// aggregations fold series, calls take their arguments as they are.
var (
	aggregations = []string{"sum", "max", "min", "count"}
	calls        = []string{"time", "vector", "increase", "rate", "histogram_quantile"}
)

// parser reads tokens from the left.
type parser struct{ rest []string }

// parse reads a whole expression.
func parse(text string) (n *node, err error) {
	p := &parser{}
	for at := 0; strings.TrimSpace(text[at:]) != ""; {
		found := tokens.FindStringSubmatchIndex(text[at:])
		if found == nil || found[0] != 0 {
			return nil, fmt.Errorf("%q is not PromQL from %q on", text, text[at:])
		}
		p.rest = append(p.rest, text[at+found[2]:at+found[3]])
		at += found[1]
	}
	defer func() {
		if stop, ok := recover().(mistake); ok {
			n, err = nil, fmt.Errorf("%q: %s", text, stop)
		}
	}()
	n = p.binary(0)
	if len(p.rest) > 0 {
		panic(mistake("there is more: " + p.rest[0]))
	}
	return n, nil
}

// mistake in an expression; it ends parsing.
type mistake string

func (p *parser) peek() string {
	if len(p.rest) == 0 {
		return ""
	}
	return p.rest[0]
}

func (p *parser) next() string {
	t := p.peek()
	if t == "" {
		panic(mistake("it ends too soon"))
	}
	p.rest = p.rest[1:]
	return t
}

func (p *parser) accept(t string) bool {
	if p.peek() != t {
		return false
	}
	p.next()
	return true
}

func (p *parser) want(t string) {
	if got := p.next(); got != t {
		panic(mistake(fmt.Sprintf("%q where %q is wanted", got, t)))
	}
}

func (p *parser) binary(level int) *node {
	if level == len(levels) {
		return p.primary()
	}
	left := p.binary(level + 1)
	for slices.Contains(levels[level], p.peek()) {
		left = &node{op: p.next(), args: []*node{left, p.binary(level + 1)}}
	}
	return left
}

func (p *parser) primary() *node {
	t := p.next()
	if t == "(" {
		n := p.binary(0)
		p.want(")")
		return n
	}
	if number, err := strconv.ParseFloat(t, 64); err == nil {
		return &node{op: "number", number: number}
	}
	switch {
	case slices.Contains(aggregations, t):
		n := &node{op: "aggregate", name: t}
		if p.accept("by") {
			n.by = p.list("(", ")")
		}
		n.args = p.arguments()
		return n
	case slices.Contains(calls, t):
		return &node{op: "call", name: t, args: p.arguments()}
	}
	return p.selector(t)
}

func (p *parser) selector(name string) *node {
	if !regexp.MustCompile(`^[a-z_]+$`).MatchString(name) {
		panic(mistake(fmt.Sprintf("%q is neither a metric nor a function that is known here", name)))
	}
	n := &node{op: "selector", name: name}
	if p.accept("{") {
		for !p.accept("}") {
			m := matcher{label: p.next(), op: p.next()}
			value, err := strconv.Unquote(p.next())
			if err != nil || !slices.Contains([]string{"=", "!=", "=~", "!~"}, m.op) {
				panic(mistake("label " + m.label))
			}
			m.value = value
			n.matchers = append(n.matchers, m)
			if p.peek() != "}" {
				p.want(",")
			}
		}
	}
	if strings.HasPrefix(p.peek(), "[") {
		p.next()
		n.ranged = true
	}
	return n
}

func (p *parser) arguments() []*node {
	var args []*node
	p.want("(")
	for !p.accept(")") {
		args = append(args, p.binary(0))
		if p.peek() != ")" {
			p.want(",")
		}
	}
	return args
}

// list of words between two tokens.
func (p *parser) list(from, to string) []string {
	var words []string
	p.want(from)
	for !p.accept(to) {
		words = append(words, p.next())
		if p.peek() != to {
			p.want(",")
		}
	}
	return words
}
