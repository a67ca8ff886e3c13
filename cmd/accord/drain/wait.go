package drain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/exit"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/text"
)

const (
	// shortestInterval and longestInterval bound the time between two reads of the hub. It is patience times as long as a read takes:
	// the command reads the records of all Federations, and must not keep a large hub busy.
	shortestInterval, longestInterval = time.Second, 30 * time.Second
	patience                          = 20
	// shown is the number of objects in the last lines of text.
	shown = 10
	// stillness is the time without a change after which the objects that cannot leave end the wait: accord may still delete others.
	stillness = 5 * time.Second
)

// Wait waits until every object that can leave a cluster has left it.
type Wait struct {
	Hub     *hub.Hub
	Cluster string
	Timeout time.Duration
	Format  text.Format
}

// Run prints a line for each change. The error has exit code 1 if objects cannot leave, and 3 after the timeout.
func (w *Wait) Run(ctx context.Context, out io.Writer) error {
	deadline := time.Now().Add(w.Timeout)
	var last string
	var changed time.Time
	for {
		begun := time.Now()
		p, err := w.read(ctx)
		interval := pause(time.Since(begun))
		if err != nil && !hub.Transient(err) {
			return err
		}
		now := time.Now()
		late := !now.Before(deadline)
		if line := p.String(); err == nil && line != last {
			last, changed = line, now
			if w.Format != text.AsJSON {
				fmt.Fprintln(out, now.Format(time.TimeOnly)+"  "+line)
			}
		}
		if err == nil && (late || p.Done() && (len(p.Blocked) == 0 || now.Sub(changed) >= stillness)) {
			return errors.Join(w.print(out, p), result(p, late))
		} else if late {
			return w.Hub.Wrap("reading the objects of "+w.Cluster, err)
		}
		select {
		case <-time.After(min(interval, max(0, time.Until(deadline)))):
		case <-ctx.Done():
			return errors.New("interrupted; the drain continues, \"accord drain " + w.Cluster + "\" waits for it again")
		}
	}
}

// pause returns the time until the next read of the hub after one that took some time.
func pause(read time.Duration) time.Duration {
	return min(max(patience*read, shortestInterval), longestInterval)
}

// result returns the exit code of the last progress; nil for 0.
func result(p Progress, late bool) error {
	switch {
	case p.Done() && len(p.Blocked) == 0:
		return nil
	case late:
		return &exit.Error{Code: 3}
	}
	return &exit.Error{Code: 1}
}

func (w *Wait) read(ctx context.Context) (Progress, error) {
	objects, deliveries := &v1alpha1.FederatedObjectList{}, &v1alpha1.DeliveryList{}
	if err := w.Hub.List(ctx, objects); err != nil {
		return Progress{}, err
	}
	if err := w.Hub.List(ctx, deliveries); err != nil {
		return Progress{}, err
	}
	return Of(w.Cluster, objects.Items, deliveries.Items), nil
}

// print prints the objects that are left.
func (w *Wait) print(out io.Writer, p Progress) error {
	if w.Format == text.AsJSON {
		return text.Encode(out, w.Format, p)
	}
	for _, part := range []struct {
		title string
		all   []Object
	}{{"leaving", p.Leaving}, {"waiting", p.Waiting}, {"blocked", p.Blocked}} {
		for i, o := range part.all {
			if i == shown {
				fmt.Fprintf(out, "  and %d more\n", len(part.all)-shown)
				break
			}
			fmt.Fprintf(out, "  %-7s  %s (%s)%s\n", part.title, o.Object, o.Federation, text.WithPrefix(": ", o.Message))
		}
	}
	return nil
}
