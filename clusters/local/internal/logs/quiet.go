// Package logs lowers the levels at which the Kubernetes libraries log, for programs with another purpose.
package logs

import (
	"context"
	"log/slog"

	"github.com/go-logr/logr"
)

// quiet lowers everything to debug. The information of a component is a detail of this program, and most of its
// warnings and errors announce a retry: each start and stop logs a dozen. A component that fails for good returns an
// error to the caller, or logs an error before it ends the process.
type quiet struct{ slog.Handler }

// Quiet returns the logger for a component of that name, to be passed in klog's or logr's contexts. A nil logger
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
