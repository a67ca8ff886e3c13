package command

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/accord-dev/accord/cmd/accord/text"
)

// asks reports whether the command asks before the commit: a person reads and answers, and no flag is the answer.
func (f *Flags) asks(in io.Reader, out io.Writer) bool {
	answered := f.yes || f.push || f.pull || f.dryRun || f.output.Value != text.AsText
	return !answered && text.IsTerminal(in) && text.IsTerminal(out)
}

// confirm shows the patch and asks whether to commit it. It returns an error for any answer but yes.
func (f *Flags) confirm(ctx context.Context, out io.Writer, r Result) error {
	on := r.Branch
	if on == "" {
		on = "the detached HEAD"
	}
	if _, err := fmt.Fprintf(out, "%s\nCommit %s on %s? [y/N] ", r.patch(), r.File, on); err != nil {
		return err
	}
	if text.Confirmed(ctx, f.invoked.InOrStdin()) {
		return nil
	}
	return errors.New("nothing was committed")
}
