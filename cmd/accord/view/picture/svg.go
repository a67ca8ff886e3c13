package picture

import (
	"fmt"
	"html"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/accord-dev/accord/internal/phrase"
)

// Measures of the drawing, in pixels.
const (
	width    = 960
	margin   = 16
	names    = 220 // for the names of clusters
	rowHigh  = 22
	barHigh  = 14
	headHigh = 30 // of a stage
	top      = 96 // title, verdict, event that is waited for
	axisHigh = 28
	// glyph is the width of a character of the monospaced font at 12 pixels.
	glyph = 7.3
)

// SVG returns the drawing.
func SVG(r Rollout) []byte {
	d := &drawing{rollout: r}
	for _, s := range r.Stages {
		d.stages = append(d.stages, s.Shorten())
	}
	d.measure()
	d.open()
	d.axis()
	for _, s := range d.stages {
		d.stage(s)
	}
	d.legend()
	d.say("</svg>\n")
	return []byte(d.out.String())
}

type drawing struct {
	rollout Rollout
	stages  []Stage
	high    int // of all
	rows    int // where the rows end
	y       int // where the next one begins
	out     strings.Builder
}

func (d *drawing) say(format string, args ...any) { fmt.Fprintf(&d.out, format, args...) }

// measure computes the height.
func (d *drawing) measure() {
	d.rows = top + axisHigh
	for _, s := range d.stages {
		d.rows += headHigh + rowHigh*len(s.Clusters)
		if s.Omitted > 0 {
			d.rows += rowHigh
		}
	}
	d.high = d.rows + margin + (len(looks)+2)/3*rowHigh + margin
}

// open writes the part above the rows, and the text for screen readers.
func (d *drawing) open() {
	r := d.rollout
	d.say(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-labelledby="accord-title accord-desc">`+"\n", width, d.high, width, d.high)
	d.say("<title id=\"accord-title\">%s</title>\n<desc id=\"accord-desc\">%s</desc>\n", escape(r.Title), escape(r.Words()))
	d.say("<style>\n%s</style>\n<defs>\n%s</defs>\n", style(), Patterns)
	d.say(`<rect class="ground" width="%d" height="%d"/>`+"\n", width, d.high)
	d.text("title", margin, 30, r.Title, (width-2*margin)/10)
	d.text("words", margin, 54, r.Verdict, fits(width-2*margin))
	d.text("soft", margin, 76, r.WaitingFor, fits(width-2*margin))
	d.y = top
}

// fits returns the number of characters that fit into so many pixels.
func fits(pixels int) int { return int(float64(pixels) / glyph) }

// text writes at most so many characters. A longer text gets a tooltip with the whole.
func (d *drawing) text(class string, x, y int, text string, most int) {
	if text == "" {
		return
	}
	shown := phrase.Cut(text, most)
	title := ""
	if shown != text {
		title = "<title>" + escape(text) + "</title>"
	}
	d.say(`<text class="%s" x="%d" y="%d">%s%s</text>`+"\n", class, x, y, title, escape(shown))
}

// x returns the position of a time.
func (d *drawing) x(at time.Time) float64 {
	return names + d.rollout.Share(at)*(width-margin-names)
}

// axis writes about six lines at round times.
func (d *drawing) axis() {
	for _, at := range d.rollout.Ticks() {
		x := d.x(at)
		label, anchor := d.rollout.Elapsed(at), "middle"
		if at.Equal(d.rollout.Begin) {
			label, anchor = at.UTC().Format("2006-01-02 15:04:05Z"), "start"
		} else if x > width-60 || x < names+190 {
			label = "" // the first label, and the edge, are in the way
		}
		d.say(`<line class="grid" x1="%s" y1="%d" x2="%s" y2="%d"/>`+"\n", pixels(x), top+axisHigh-6, pixels(x), d.rows)
		if label != "" {
			d.say(`<text class="axis" text-anchor="%s" x="%s" y="%d">%s</text>`+"\n", anchor, pixels(x), top+axisHigh-12, label)
		}
	}
	d.y = top + axisHigh
}

// stage writes the header and a row for each cluster.
func (d *drawing) stage(s Stage) {
	d.say(`<line class="edge" x1="%d" y1="%d" x2="%d" y2="%d"/>`+"\n", margin, d.y+4, width-margin, d.y+4)
	d.text("stage", margin, d.y+22, s.Name, fits(names-2*margin)-2)
	d.text("soft", names, d.y+22, s.Note, fits(width-margin-names))
	d.y += headHigh
	for _, mark := range []time.Time{s.Began, s.Passed} {
		if !mark.IsZero() && !mark.Before(d.rollout.Begin) && len(s.Clusters) > 0 {
			x := pixels(d.x(mark))
			d.say(`<line class="mark" x1="%s" y1="%d" x2="%s" y2="%d"/>`+"\n", x, d.y, x, d.y+rowHigh*len(s.Clusters))
		}
	}
	for _, c := range s.Clusters {
		d.cluster(c)
	}
	if s.Omitted > 0 {
		d.text("soft", margin+8, d.y+16, fmt.Sprintf("and %d more", s.Omitted), 40)
		d.y += rowHigh
	}
}

// leastWide is the width of the shortest bar, which may stand for no time at all.
const leastWide = 2

func (d *drawing) cluster(c Cluster) {
	d.text("name", margin+8, d.y+16, c.Name, fits(names-margin-16))
	for _, b := range c.Bars {
		from, to := d.x(b.From), d.x(b.To)
		wide := min(max(to-from, leastWide), width-margin-from)
		if wide <= 0 {
			from, wide = width-margin-leastWide, leastWide
		}
		box := fmt.Sprintf(`x="%s" y="%d" width="%s" height="%d" rx="2"`, pixels(from), d.y+(rowHigh-barHigh)/2, pixels(wide), barHigh)
		d.say(`<g class="bar"><title>%s</title><rect class="%s" data-cluster="%s" %s/>`, escape(b.Words(c.Name)), b.Kind, escape(c.Name), box)
		if pattern := LookOf(b.Kind).Pattern; pattern != "" {
			d.say(`<rect fill="url(#accord-%s)" %s/>`, pattern, box)
		}
		d.say("</g>\n")
	}
	d.y += rowHigh
}

// legend explains the bars, three in a line.
func (d *drawing) legend() {
	y := d.rows + margin
	for i, l := range looks {
		x := margin + i%3*(width-2*margin)/3
		box := fmt.Sprintf(`x="%d" y="%d" width="28" height="%d" rx="2"`, x, y+i/3*rowHigh, barHigh)
		d.say(`<rect class="%s" %s/>`, l.Kind, box)
		if l.Pattern != "" {
			d.say(`<rect fill="url(#accord-%s)" %s/>`, l.Pattern, box)
		}
		d.text("axis", x+36, y+i/3*rowHigh+12, l.Label, 40)
	}
}

// pixels returns a number with one decimal.
func pixels(x float64) string { return strconv.FormatFloat(x, 'f', 1, 64) }

// escape escapes text for XML.
func escape(text string) string { return html.EscapeString(Plain(text)) }

// Plain replaces characters that cannot be printed by a question mark.
func Plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, strings.ToValidUTF8(text, "?"))
}
