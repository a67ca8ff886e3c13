package stage

import (
	"fmt"
	"strings"
)

// figures counts one stage.
func (m *machine) figures(i int, o *Outcome) Figures {
	p := m.stages[i]
	f := Figures{Name: p.Name, Clusters: len(p.members)}
	for _, c := range p.members {
		switch {
		case m.settled(c):
		case c.Held != "":
			f.Held++
		case c.Unreachable != "":
			f.Unreachable++
		}
		if !c.onWanted() {
			continue
		}
		f.Given++
		if c.healthyNow() {
			f.Healthy++
		}
		if m.failing(c) {
			f.Failing++
		}
	}
	if passed := m.next.Passed[p.Name]; !passed.Before(m.next.Began) {
		f.Passed = passed
	}
	if m.next.Stage == p.Name {
		f.Began = m.next.Entered
	}
	f.Note = m.note(i, f, o)
	return f
}

// note is the line for people about a stage.
func (m *machine) note(i int, f Figures, o *Outcome) string {
	p := m.stages[i]
	if m.next.Failure != nil {
		if p.Name == m.next.Failure.Stage {
			return o.Message
		}
		switch back := m.givenBack(p); {
		case back > 0:
			return fmt.Sprintf("%d of %d got back what they had", back, f.Clusters)
		case f.Given == 0 && f.Clusters > 0:
			return "untouched"
		}
		return ""
	}
	switch {
	case f.Clusters == 0:
		return "no cluster"
	case i > m.current && f.Given < f.Clusters:
		return "waits for " + m.stages[m.current].Name
	case i == m.current && o.Verdict != Complete:
		var parts []string
		if togo := p.counts[pending]; togo > 0 {
			parts = append(parts, fmt.Sprintf("%d to go", togo))
		}
		return strings.Join(append(parts, o.Message), "; ")
	case !f.Passed.IsZero() && p.soak > 0:
		return fmt.Sprintf("passed %s, soaked %s", f.Passed.Format("15:04:05"), short(p.soak))
	case !f.Passed.IsZero():
		return "passed " + f.Passed.Format("15:04:05")
	case f.Given < f.Clusters:
		return fmt.Sprintf("%d left behind", f.Clusters-f.Given)
	}
	return "nothing changes"
}

// givenBack is how many clusters of a stage got back what they had.
func (m *machine) givenBack(p *phase) int {
	n := 0
	for _, c := range p.members {
		if m.restored(c) {
			n++
		}
	}
	return n
}
