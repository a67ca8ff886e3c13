package logs

import (
	"context"
	"log/slog"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// Zap is Quiet for libraries that log through zap, as etcd does.
func Zap(log *slog.Logger, component string) *zap.Logger {
	return zap.New(core{handler(log, component)})
}

// core writes zap's entries to a slog handler.
type core struct{ handler slog.Handler }

// level maps zap's levels: 0 is information in both, and one step of zap is four of slog.
func level(l zapcore.Level) slog.Level { return slog.Level(4 * l) }

// Enabled leaves out zap's debug level: there etcd describes every request.
func (c core) Enabled(l zapcore.Level) bool {
	return l >= zapcore.InfoLevel && c.handler.Enabled(context.Background(), level(l))
}

func (c core) With(fields []zapcore.Field) zapcore.Core {
	return core{c.handler.WithAttrs(attrs(fields))}
}

func (c core) Check(e zapcore.Entry, ce *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if c.Enabled(e.Level) {
		return ce.AddCore(e, c)
	}
	return ce
}

func (c core) Write(e zapcore.Entry, fields []zapcore.Field) error {
	r := slog.NewRecord(e.Time, level(e.Level), e.Message, e.Caller.PC)
	r.AddAttrs(attrs(fields)...)
	return c.handler.Handle(context.Background(), r)
}

func (c core) Sync() error { return nil }

// attrs are the fields in the order they were given; a field is one attribute, an error with details two.
func attrs(fields []zapcore.Field) []slog.Attr {
	var out []slog.Attr
	for _, f := range fields {
		enc := zapcore.NewMapObjectEncoder()
		f.AddTo(enc)
		for k, v := range enc.Fields {
			out = append(out, slog.Any(k, v))
		}
	}
	return out
}
