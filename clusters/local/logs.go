package local

import (
	"context"
	"log/slog"
	"sync"

	"github.com/go-logr/logr"
	"go.etcd.io/etcd/server/v3/storage/wal"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"k8s.io/klog/v2"

	_ "github.com/accord-dev/accord/clusters/local/internal/quietetcd" // acts by being there; see its comment
)

// processOnce guards settings that the libraries keep per process, not per server.
var processOnce sync.Once

// prepareProcess sets, once, what all control planes of this process share: where klog writes, and how
// large etcd's preallocated log segments are (two of 64 MB by default, 8 MB are plenty here).
// klog is asked to pass on its lines one level down: what is information to a component is a detail to us.
func prepareProcess(log *slog.Logger) {
	processOnce.Do(func() {
		wal.SegmentSizeBytes = 8 << 20
		h := quieter{log.With("component", "kubernetes").Handler()}
		klog.SetLoggerWithOptions(logr.FromSlogHandler(h), klog.ContextualLogger(true))
	})
}

// quieter lowers every record below error to debug, and errors to warnings: the Kubernetes components report
// as errors what they retry a moment later, and a real end of theirs reaches our caller as an error anyway.
type quieter struct{ slog.Handler }

func lowered(l slog.Level) slog.Level {
	if l >= slog.LevelError {
		return slog.LevelWarn
	}
	return min(l, slog.LevelDebug)
}

func (q quieter) Enabled(ctx context.Context, l slog.Level) bool {
	return q.Handler.Enabled(ctx, lowered(l))
}

func (q quieter) Handle(ctx context.Context, r slog.Record) error {
	r.Level = lowered(r.Level)
	return q.Handler.Handle(ctx, r)
}

func (q quieter) WithAttrs(a []slog.Attr) slog.Handler { return quieter{q.Handler.WithAttrs(a)} }
func (q quieter) WithGroup(g string) slog.Handler      { return quieter{q.Handler.WithGroup(g)} }

// zapTo is a zap logger that writes to log, on the same lowered levels.
func zapTo(log *slog.Logger) *zap.Logger { return zap.New(zapCore{quieter{log.Handler()}}) }

// zapCore is the bridge from zap, which etcd logs with, to slog.
type zapCore struct{ handler slog.Handler }

// slogLevel maps zap's levels: both call 0 information, and what is one step there is four here.
func slogLevel(l zapcore.Level) slog.Level { return min(slog.Level(4*l), slog.LevelError) }

func (c zapCore) Enabled(l zapcore.Level) bool {
	return c.handler.Enabled(context.Background(), slogLevel(l))
}

func (c zapCore) With(fields []zapcore.Field) zapcore.Core {
	return zapCore{c.handler.WithAttrs(attrs(fields))}
}

func (c zapCore) Check(e zapcore.Entry, ce *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if c.Enabled(e.Level) {
		return ce.AddCore(e, c)
	}
	return ce
}

func (c zapCore) Write(e zapcore.Entry, fields []zapcore.Field) error {
	r := slog.NewRecord(e.Time, slogLevel(e.Level), e.Message, e.Caller.PC)
	r.AddAttrs(attrs(fields)...)
	return c.handler.Handle(context.Background(), r)
}

func (c zapCore) Sync() error { return nil }

// attrs are the fields in the order they were given.
func attrs(fields []zapcore.Field) []slog.Attr {
	var out []slog.Attr
	for _, f := range fields {
		enc := zapcore.NewMapObjectEncoder()
		f.AddTo(enc)
		for k, v := range enc.Fields { // one field, at most two keys (an error and its details)
			out = append(out, slog.Any(k, v))
		}
	}
	return out
}
