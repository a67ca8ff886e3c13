package picture

import (
	"fmt"
	"strings"
	"time"
)

// Words returns the drawing as text for screen readers, one sentence a stage.
func (r Rollout) Words() string {
	parts := []string{r.Verdict + "."}
	if r.WaitingFor != "" {
		parts = append(parts, r.WaitingFor+".")
	}
	for _, s := range r.Stages {
		parts = append(parts, s.words())
	}
	return strings.Join(parts, " ")
}

// words returns "Stage europe, 3 clusters: 2 passed, 1 changing."
func (s Stage) words() string {
	counts := map[Kind]int{}
	for _, c := range s.Clusters {
		if n := len(c.Bars); n > 0 {
			counts[c.Bars[n-1].Kind]++
		}
	}
	var parts []string
	for _, l := range looks {
		if counts[l.Kind] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[l.Kind], l.Kind))
		}
	}
	noun := "clusters"
	if n := len(s.Clusters) + s.Omitted; n == 1 {
		noun = "cluster"
	}
	text := fmt.Sprintf("Stage %s, %d %s", s.Name, len(s.Clusters)+s.Omitted, noun)
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	return text + "."
}

// Words returns "eu-1: changing for 2m, 12:00:00 to 12:02:00 UTC".
func (b Bar) Words(cluster string) string {
	return fmt.Sprintf("%s: %s for %s, %s to %s UTC", cluster, b.Kind, Span(b.To.Sub(b.From)), b.From.UTC().Format(time.TimeOnly), b.To.UTC().Format(time.TimeOnly))
}

// Span returns "1h30m", "2m", "0s".
func Span(d time.Duration) string {
	text := d.Truncate(time.Second).String()
	text = strings.TrimSuffix(text, "0s")
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	if text == "" || !strings.HasSuffix(text, "m") && !strings.HasSuffix(text, "h") {
		return d.Truncate(time.Second).String()
	}
	return text
}
