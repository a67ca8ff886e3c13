package hub

import (
	"context"
	"errors"
	"log/slog"
	"strings"
)

// stopping is a log handler that drops errors of cancelled work once the process stops: every request that is under way then ends with
// one.
type stopping struct {
	slog.Handler
	stopped func() bool
}

// Stopping returns a handler that drops the errors of cancelled work after ctx has ended.
func Stopping(ctx context.Context, h slog.Handler) slog.Handler {
	return stopping{h, func() bool { return ctx.Err() != nil }}
}

// Handle implements slog.Handler.
func (s stopping) Handle(ctx context.Context, r slog.Record) error {
	if s.stopped() && cancelled(r) {
		return nil
	}
	return s.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (s stopping) WithAttrs(attrs []slog.Attr) slog.Handler {
	return stopping{s.Handler.WithAttrs(attrs), s.stopped}
}

// WithGroup implements slog.Handler.
func (s stopping) WithGroup(name string) slog.Handler {
	return stopping{s.Handler.WithGroup(name), s.stopped}
}

// cancelled reports whether a record is about an error of cancelled work. Some libraries log the error as text.
func cancelled(r slog.Record) bool {
	found := strings.Contains(r.Message, context.Canceled.Error())
	r.Attrs(func(a slog.Attr) bool {
		err, _ := a.Value.Any().(error)
		found = found || errors.Is(err, context.Canceled) || strings.Contains(a.Value.String(), context.Canceled.Error())
		return !found
	})
	return found
}

// UnlessCancelled returns nil for a requested stop. Stop returns an error if the hub ended by itself.
func UnlessCancelled(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
