package review

import (
	"io"

	"github.com/schollz/progressbar/v3"

	"github.com/accord-dev/accord/cmd/accord/text"
)

// progressBar shows the progress of a long plan on a terminal, and nothing in a log.
type progressBar struct {
	out   io.Writer // nil: nothing is shown
	shown *progressbar.ProgressBar
}

func newProgressBar(out io.Writer) *progressBar {
	if text.IsTerminal(out) {
		return &progressBar{out: out}
	}
	return &progressBar{}
}

func (b *progressBar) set(done, total int) {
	if b.out == nil {
		return
	}
	if b.shown == nil {
		b.shown = progressbar.NewOptions(total, progressbar.OptionSetWriter(b.out), progressbar.OptionSetDescription("comparing"),
			progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(30), progressbar.OptionShowCount())
	}
	_ = b.shown.Set(done) // a bar that cannot be drawn is no reason to stop
}

// end removes the bar.
func (b *progressBar) end() {
	if b.shown != nil {
		_ = b.shown.Clear()
	}
}
