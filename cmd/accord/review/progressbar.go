package review

import (
	"io"

	"github.com/schollz/progressbar/v3"

	"github.com/accord-dev/accord/cmd/accord/text"
)

// A bar shows how far a long plan is, on a terminal and nowhere else: what a pipeline logs has no use for it.
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

// end takes the bar away.
func (b *progressBar) end() {
	if b.shown != nil {
		_ = b.shown.Clear()
	}
}
