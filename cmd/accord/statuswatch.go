package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// redrawEvery is how old the ages on a screen become.
const redrawEvery = 5 * time.Second

// A live view shows a report that may have changed, or that the hub cannot be read now.
type live interface {
	show(s statusReport, now time.Time) error
	trouble(why string, now time.Time) error
}

// liveView redraws a terminal, and appends what changed to everything else.
func liveView(f format, out io.Writer) live {
	switch {
	case f == asJSON:
		return &jsonChanges{out: out}
	case isTerminal(out):
		return &screen{out: out}
	}
	return &changes{out: out, clusters: map[string]string{}}
}

// watchStatus shows a federation until somebody interrupts, which is no error. A hub that is away for a while is waited for.
func watchStatus(ctx context.Context, h *hub, fed *v1alpha1.Federation, view live) error {
	news, end := h.news(ctx, fed, true)
	defer end()
	for {
		s, err := readStatusNow(ctx, h, fed)
		now := time.Now()
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil:
			err = view.show(s, now)
		case passing(err):
			err = view.trouble(err.Error(), now)
		}
		if err != nil {
			return err
		}
		if sleep(ctx, news, now.Add(redrawEvery)) != nil {
			return nil
		}
	}
}

// readStatusNow is the status of the federation as it is now.
func readStatusNow(ctx context.Context, h *hub, of *v1alpha1.Federation) (statusReport, error) {
	fed := &v1alpha1.Federation{}
	if err := h.Get(ctx, client.ObjectKeyFromObject(of), fed); err != nil {
		return statusReport{}, h.explain("reading federation "+of.Name, err)
	}
	return readStatus(ctx, h, fed)
}

// A screen is a terminal.
type screen struct{ out io.Writer }

// wipe goes to the top left and clears what is below.
const wipe = "\x1b[H\x1b[J"

func (v *screen) show(s statusReport, now time.Time) error {
	var b strings.Builder
	b.WriteString(wipe)
	if err := s.write(&b, now); err != nil {
		return err
	}
	fmt.Fprintf(&b, "\n  %s  Ctrl-C ends\n", now.Format(time.TimeOnly))
	_, err := io.WriteString(v.out, b.String())
	return err
}

func (v *screen) trouble(why string, now time.Time) error {
	_, err := fmt.Fprintf(v.out, "  %s  %s\n", now.Format(time.TimeOnly), why)
	return err
}
