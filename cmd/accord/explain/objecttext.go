package explain

import (
	"fmt"
	"io"
	"strings"

	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/phrase"
)

func (r *ObjectReport) Print(out io.Writer, f text.Format) error {
	if f == text.AsJSON {
		return text.Encode(out, f, r)
	}
	var b strings.Builder
	r.write(&b)
	if err := r.Live.write(&b); err != nil {
		return err
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// write writes the verdict, the places and the clusters. Clusters with the same decision share a paragraph.
func (r *ObjectReport) write(b *strings.Builder) {
	fmt.Fprintln(b, r.Verdict)
	fmt.Fprintf(b, "  manifest  %s\n", r.At)
	if p := r.Policy; p != nil {
		fmt.Fprintf(b, "  policy    %s (%s) %s\n", p.Policy, p.At, p.Why)
	}
	for _, p := range r.Others {
		fmt.Fprintf(b, "  not       %s (%s): %s\n", p.Policy, p.At, p.Why)
	}
	for _, n := range r.Notes {
		fmt.Fprintln(b, "  note      "+n)
	}
	for _, e := range r.Evictions {
		e.write(b)
	}
	for _, s := range r.Sends {
		fmt.Fprintf(b, "  sends     %s: %s\n", s.Object, sentTo(s.Clusters))
	}
	if r.Why != "" && len(r.Clusters) > 0 && r.Clusters[0].Chosen {
		fmt.Fprintln(b, "  kept      "+r.Why)
	}
	if r.Policy == nil && r.Why != "" {
		return // the verdict is the answer of every cluster
	}
	for _, g := range grouped(r.Clusters) {
		g.write(b)
	}
}

func sentTo(clusters []string) string {
	if len(clusters) == 0 {
		return "its own policy sends it there"
	}
	return phrase.List(clusters, text.MaxNames)
}

// decisionGroup is the clusters with the same decision.
type decisionGroup struct {
	Decision
	names []string
}

// grouped keeps the order of the first cluster of each group.
func grouped(clusters []Decision) []*decisionGroup {
	var groups []*decisionGroup
	byAnswer := map[string]*decisionGroup{}
	for _, c := range clusters {
		name := c.Cluster
		c.Cluster = ""
		key, err := text.EncodeLine(c)
		if err != nil {
			panic(err) // impossible: the values come from JSON
		}
		g, known := byAnswer[key]
		if !known {
			g = &decisionGroup{Decision: c}
			byAnswer[key] = g
			groups = append(groups, g)
		}
		g.names = append(g.names, name)
	}
	return groups
}

func (g *decisionGroup) write(b *strings.Builder) {
	if len(g.names) == 1 {
		fmt.Fprintf(b, "\n%s: %s\n", g.names[0], g.summary())
	} else {
		fmt.Fprintf(b, "\n%d clusters: %s\n  %s\n", len(g.names), g.summary(), phrase.List(g.names, text.MaxNames))
	}
	if g.Fit != "" {
		fmt.Fprintln(b, "  would fit: "+g.Fit)
	}
	if g.Held != "" {
		fmt.Fprintln(b, "  held: "+g.Held)
	}
	if g.Error != "" {
		fmt.Fprintln(b, "  cannot be rendered: "+g.Error)
	}
	for i, s := range g.Overrides {
		fmt.Fprintf(b, "  %d. %s %s (%s): %s\n", i+1, s.Policy, text.ShortField(s.Field), s.At, s.Operation)
		for _, line := range s.lines() {
			fmt.Fprintln(b, "     "+line)
		}
	}
}

// summary returns "chosen, 3 replicas each: weight 1 of 3" or "not chosen: is in exclude (policies/web.yaml:12)".
func (g *decisionGroup) summary() string {
	if !g.Chosen {
		return "not chosen: " + g.Why + text.WithPrefix(" (", text.WithSuffix(g.At, ")"))
	}
	line := "chosen"
	if g.Replicas != nil {
		line += ", " + phrase.Count(int(*g.Replicas), "replica")
		if len(g.names) > 1 {
			line += " each"
		}
	}
	if g.Completions != nil {
		line += fmt.Sprintf(", %d completions", *g.Completions)
	}
	line = text.Join(": ", line, g.Share)
	switch {
	case g.RequiredBy != "":
		line += ", for " + g.RequiredBy
	case g.Implied:
		line += ", because an object in it goes there"
	}
	return line
}

// lines describes the effect of a step.
func (s overrideStep) lines() []string {
	field := s.Path
	if field == "" {
		field = "the object"
	}
	switch {
	case !s.Changed:
		return []string{field + " stays the same"}
	case s.Secret:
		return []string{field + " changes"}
	}
	lines := []string{fmt.Sprintf("%s: %s -> %s", field, text.Brief(s.Before), text.Brief(s.After))}
	if len(s.Lost) > 0 {
		lines = append(lines, "lost: "+strings.Join(s.Lost, ", "))
	}
	return lines
}
