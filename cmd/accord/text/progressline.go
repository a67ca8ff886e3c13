package text

import (
	"io"
	"os"

	"github.com/schollz/progressbar/v3"
)

// ProgressLine shows a long step in one line of a terminal, and nothing anywhere else.
type ProgressLine struct {
	out   io.Writer // nil: nothing is shown
	step  string
	shown *progressbar.ProgressBar
	total int
}

// NewProgressLine returns the line of a step, which shows nothing until the first Start, Set or Describe.
func NewProgressLine(out io.Writer, step string) *ProgressLine {
	if !IsTerminal(out) || os.Getenv("TERM") == "dumb" {
		return &ProgressLine{}
	}
	return &ProgressLine{out: raw(out), step: Printable(step)}
}

// Visible reports whether the line is shown.
func (l *ProgressLine) Visible() bool { return l.out != nil }

// unknownTotal makes a spinner of a bar.
const unknownTotal = -1

// Start shows the step with a spinner, because its length is not known.
func (l *ProgressLine) Start() { l.draw(unknownTotal) }

// Describe replaces the text of the step.
func (l *ProgressLine) Describe(step string) {
	l.step = Printable(step)
	if l.shown == nil {
		l.Start()
	} else {
		l.shown.Describe(l.step)
	}
}

// Set shows a bar with the parts of the step that are done.
func (l *ProgressLine) Set(done, total int) {
	l.draw(total)
	if l.shown != nil {
		_ = l.shown.Set(done) // a line that cannot be drawn is no reason to stop
	}
}

func (l *ProgressLine) draw(total int) {
	if l.out == nil || l.shown != nil && l.total == total {
		return
	}
	l.End()
	l.total = total
	l.shown = progressbar.NewOptions(total, progressbar.OptionSetWriter(l.out), progressbar.OptionSetDescription(l.step),
		progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(30), progressbar.OptionShowCount(), progressbar.OptionSpinnerType(14))
	_ = l.shown.RenderBlank()
}

// End removes the line.
func (l *ProgressLine) End() {
	if l.shown != nil {
		_ = l.shown.Finish() // ends the spinner, too
		_ = l.shown.Clear()
		l.shown = nil
	}
}
