package logs_test

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/accord-dev/accord/clusters/local/internal/logs"
)

// lines logs at the level given and returns what was written, without times.
func lines(least slog.Level, do func(*slog.Logger)) string {
	var out strings.Builder
	do(slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: least, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}})))
	return out.String()
}

func TestComponentsAreQuietAndNamed(t *testing.T) {
	speak := map[string]func(*slog.Logger){
		"through logr": func(log *slog.Logger) {
			l := logs.Quiet(log, "store").WithValues("dir", "/data")
			l.Info("serving", "port", 1)
			l.Error(errors.New("busy"), "will retry")
		},
		"through zap": func(log *slog.Logger) {
			l := logs.Zap(log, "store").With(zap.String("dir", "/data"))
			l.Debug("request", zap.String("key", "/registry"))
			l.Info("serving", zap.Int("port", 1))
			l.Error("will retry", zap.String("err", "busy"))
		},
	}
	for name, do := range speak {
		t.Run(name, func(t *testing.T) {
			require.Empty(t, lines(slog.LevelInfo, do))
			said := lines(slog.LevelDebug, do)
			require.Equal(t, 2, strings.Count(said, "\n"), said)
			require.Contains(t, said, "level=DEBUG msg=serving component=store dir=/data port=1")
			require.Contains(t, said, `level=DEBUG msg="will retry" component=store dir=/data err=busy`)
		})
	}
}

func TestLastWordsAreErrors(t *testing.T) {
	require.Equal(t, "level=ERROR msg=\"disk is gone\" component=store\n", lines(slog.LevelError, func(log *slog.Logger) {
		require.Panics(t, func() { logs.Zap(log, "store").Panic("disk is gone") })
	}))
}

func TestWithoutALoggerNothingIsWritten(t *testing.T) {
	require.False(t, logs.Quiet(nil, "store").Enabled())
	require.False(t, logs.Zap(nil, "store").Core().Enabled(zap.ErrorLevel))
}
