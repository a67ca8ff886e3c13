package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"github.com/spf13/pflag"

	"github.com/accord-dev/accord/cmd/accord/hub"
)

// logFlags select the level and the format of logs.
type logFlags struct {
	format  string
	verbose bool
}

func (l *logFlags) register(f *pflag.FlagSet) {
	f.StringVar(&l.format, "log-format", "text", "text or json")
	f.BoolVarP(&l.verbose, "verbose", "v", false, "log details")
}

// logger returns a logger that writes to w. It also becomes the logger of libraries that keep one per process, so that none of
// them writes elsewhere. After ctx has ended it drops the errors of cancelled work.
func (l *logFlags) logger(ctx context.Context, w io.Writer) (*slog.Logger, error) {
	o := &slog.HandlerOptions{Level: slog.LevelInfo}
	if l.verbose {
		o.Level = slog.LevelDebug
	}
	var handler slog.Handler
	switch l.format {
	case "text":
		handler = slog.NewTextHandler(w, o)
	case "json":
		handler = slog.NewJSONHandler(w, o)
	default:
		return nil, fmt.Errorf("--log-format %q: expected text or json", l.format)
	}
	log := slog.New(hub.Stopping(ctx, handler))
	hub.SetLogger(log)
	return log, nil
}
