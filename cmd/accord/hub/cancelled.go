package hub

import (
	"context"
	"errors"
	"log/slog"
	"strings"
)

// uncancelled is a log handler that drops errors of cancelled work while drops returns true.
type uncancelled struct {
	slog.Handler
	drops func() bool
}

// Stopping returns a handler that drops the errors of cancelled work after ctx has ended: every request that is under way then
// ends with one.
func Stopping(ctx context.Context, h slog.Handler) slog.Handler {
	return uncancelled{h, func() bool { return ctx.Err() != nil }}
}

// ofLibraries returns a handler that always drops the errors of cancelled work. client-go logs one for each answer whose reader
// has gone, and also returns it to its caller, which knows whether it is an error.
func ofLibraries(h slog.Handler) slog.Handler {
	return uncancelled{h, func() bool { return true }}
}

// Handle implements slog.Handler.
func (u uncancelled) Handle(ctx context.Context, r slog.Record) error {
	if u.drops() && cancelled(r) {
		return nil
	}
	return u.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (u uncancelled) WithAttrs(attrs []slog.Attr) slog.Handler {
	return uncancelled{u.Handler.WithAttrs(attrs), u.drops}
}

// WithGroup implements slog.Handler.
func (u uncancelled) WithGroup(name string) slog.Handler {
	return uncancelled{u.Handler.WithGroup(name), u.drops}
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
