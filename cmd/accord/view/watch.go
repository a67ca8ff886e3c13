package view

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/text"
)

// redrawEvery is the time after which a screen is redrawn without a change.
const redrawEvery = 5 * time.Second

// Watcher shows a report that may have changed, or the error of a hub that cannot be read now.
type Watcher interface {
	show(s Status, now time.Time) error
	showError(why string, now time.Time) error
}

// NewWatcher returns a watcher that redraws a terminal, or appends changes to any other output.
func NewWatcher(f text.Format, out io.Writer) Watcher {
	switch {
	case f == text.AsJSON:
		return &jsonLog{out: out}
	case text.IsTerminal(out):
		return &screen{out: out}
	}
	return &changeLog{out: out, clusters: map[string]string{}}
}

// WatchStatus shows a federation until the context ends, which is not an error. It waits for a hub that is unreachable for a
// while.
func WatchStatus(ctx context.Context, h *hub.Hub, fed *v1alpha1.Federation, view Watcher) error {
	news, end := h.Changes(ctx, fed, true)
	defer end()
	for {
		s, err := readStatusNow(ctx, h, fed)
		now := time.Now()
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil:
			err = view.show(s, now)
		case hub.Transient(err):
			err = view.showError(err.Error(), now)
		}
		if err != nil {
			return err
		}
		if hub.WaitForChange(ctx, news, now.Add(redrawEvery)) != nil {
			return nil
		}
	}
}

// readStatusNow reads the federation and its status.
func readStatusNow(ctx context.Context, h *hub.Hub, of *v1alpha1.Federation) (Status, error) {
	fed := &v1alpha1.Federation{}
	if err := h.Get(ctx, client.ObjectKeyFromObject(of), fed); err != nil {
		return Status{}, h.Wrap("reading federation "+of.Name, err)
	}
	return ReadStatus(ctx, h, fed)
}

// screen is a terminal.
type screen struct{ out io.Writer }

func (v *screen) show(s Status, now time.Time) error {
	var b strings.Builder
	if err := s.Write(&b, now); err != nil {
		return err
	}
	if err := text.ClearScreen(v.out); err != nil {
		return err
	}
	fmt.Fprintf(&b, "\n  %s  Ctrl-C ends\n", now.Format(time.TimeOnly))
	_, err := io.WriteString(v.out, b.String())
	return err
}

func (v *screen) showError(why string, now time.Time) error {
	_, err := fmt.Fprintf(v.out, "  %s  %s\n", now.Format(time.TimeOnly), why)
	return err
}
