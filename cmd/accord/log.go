package main

import (
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
// them writes elsewhere.
func (l *logFlags) logger(w io.Writer) (*slog.Logger, error) {
	o := &slog.HandlerOptions{Level: slog.LevelInfo}
	if l.verbose {
		o.Level = slog.LevelDebug
	}
	var log *slog.Logger
	switch l.format {
	case "text":
		log = slog.New(slog.NewTextHandler(w, o))
	case "json":
		log = slog.New(slog.NewJSONHandler(w, o))
	default:
		return nil, fmt.Errorf("--log-format %q: expected text or json", l.format)
	}
	hub.SetLogger(log)
	return log, nil
}
