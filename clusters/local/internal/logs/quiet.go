// Package logs makes what the Kubernetes libraries log fit for a program that is about something else.
package logs

import (
	"context"
	"log/slog"

	"github.com/go-logr/logr"
)

// quiet lowers everything to debug: what is information to a component is a detail to us, and its warnings and
// errors are mostly about what it retries a moment later, a dozen of them in each start and stop. A real
// end reaches the caller as an error, or, where a component ends the process, is logged as the error it is.
type quiet struct{ slog.Handler }

// Quiet is the logger to hand to a component of that name, through klog's or logr's contexts. A nil logger
// discards.
func Quiet(log *slog.Logger, component string) logr.Logger {
	return logr.FromSlogHandler(handler(log, component))
}

func handler(log *slog.Logger, component string) slog.Handler {
	if log == nil {
		return slog.DiscardHandler
	}
	return quiet{log.With("component", component).Handler()}
}

func lowered(l slog.Level) slog.Level {
	if l > slog.LevelError { // the last words of a process
		return slog.LevelError
	}
	return min(l, slog.LevelDebug)
}

func (q quiet) Enabled(ctx context.Context, l slog.Level) bool {
	return q.Handler.Enabled(ctx, lowered(l))
}

// Handle asks Enabled once more: logr passes on errors without asking.
func (q quiet) Handle(ctx context.Context, r slog.Record) error {
	if !q.Enabled(ctx, r.Level) {
		return nil
	}
	r.Level = lowered(r.Level)
	return q.Handler.Handle(ctx, r)
}

func (q quiet) WithAttrs(a []slog.Attr) slog.Handler { return quiet{q.Handler.WithAttrs(a)} }
func (q quiet) WithGroup(g string) slog.Handler      { return quiet{q.Handler.WithGroup(g)} }
