package page

import (
	"fmt"
	"strings"

	"github.com/accord-dev/accord/cmd/accord/view/picture"
)

// stageRows is one stage of a timeline.
type stageRows struct {
	picture.Stage
	Figures string
	Rows    []clusterBars
}

// clusterBars is one cluster of a timeline.
type clusterBars struct {
	Name string
	Bars []bar
	// Kind is the last state, Now is its text: "not healthy for 15m". Words are all states for screen readers.
	Kind       picture.Kind
	Now, Words string
}

// bar is one state. X and Width are shares of the axis in percent.
type bar struct {
	picture.Look
	X, Width, Words string
}

// leastShare is the width of the shortest bar, which may stand for no time at all.
const leastShare = 0.006

// rows returns the stages with their clusters. Those that need attention are first if there are too many.
func (r Rollout) rows() []stageRows {
	var all []stageRows
	for i, s := range r.Stages {
		s = s.Shorten()
		made := stageRows{Stage: s}
		if i < len(r.Figures) {
			made.Figures = r.Figures[i]
		}
		for _, c := range s.Clusters {
			made.Rows = append(made.Rows, r.row(c))
		}
		all = append(all, made)
	}
	return all
}

func (r Rollout) row(c picture.Cluster) clusterBars {
	row := clusterBars{Name: c.Name}
	words := make([]string, len(c.Bars))
	for i, b := range c.Bars {
		from := min(r.Share(b.From), 1-leastShare)
		row.Bars = append(row.Bars, bar{
			Look: picture.LookOf(b.Kind), X: percent(from), Width: percent(max(r.Share(b.To)-from, leastShare)), Words: b.Words(c.Name),
		})
		words[i] = b.Words(c.Name)
		row.Kind, row.Now = b.Kind, fmt.Sprintf("%s, %s", b.Kind, picture.Span(b.To.Sub(b.From)))
	}
	row.Words = strings.Join(words, "; ")
	return row
}

func percent(share float64) string { return fmt.Sprintf("%.2f%%", 100*share) }

// legend returns the kinds that the timeline shows. Their labels do not repeat the names.
func (r Rollout) legend() []picture.Look {
	shown := map[picture.Kind]bool{}
	for _, s := range r.rows() {
		for _, c := range s.Rows {
			for _, b := range c.Bars {
				shown[b.Kind] = true
			}
		}
	}
	var all []picture.Look
	for _, l := range picture.Looks() {
		if shown[l.Kind] {
			l.Label = strings.TrimLeft(strings.TrimPrefix(l.Label, string(l.Kind)), ", ")
			all = append(all, l)
		}
	}
	return all
}

// tick is a label of the time axis.
type tick struct{ X, Label string }

// Room for the labels at both ends of the axis on a narrow screen, as shares.
const (
	firstTick = 0.47
	lastTick  = 0.8
)

// ticks returns the labels between both ends.
func (r Rollout) ticks() []tick {
	var all []tick
	for _, at := range r.Ticks() {
		if share := r.Share(at); share > firstTick && share < lastTick {
			all = append(all, tick{percent(share), r.Elapsed(at)})
		}
	}
	return all
}

// barStyle returns the colours of the bars on both backgrounds.
func barStyle() string {
	var light, dark strings.Builder
	for _, l := range picture.Looks() {
		fmt.Fprintf(&light, "rect.%s{fill:%s}", l.Kind, l.Light)
		fmt.Fprintf(&dark, "rect.%s{fill:%s}", l.Kind, l.Dark)
	}
	return light.String() + "\n@media(prefers-color-scheme:dark){" + dark.String() + "}\n"
}
