package kwok

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
)

// kept is the number of last lines that explain an unexpected end.
const kept = 10

// lines is a writer that logs each line written to it at debug level and remembers the last ones.
type lines struct {
	log *slog.Logger

	mu      sync.Mutex
	partial []byte
	tail    []string
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.partial = append(l.partial, p...)
	for {
		line, rest, found := bytes.Cut(l.partial, []byte("\n"))
		if !found {
			return len(p), nil
		}
		l.log.Log(context.Background(), slog.LevelDebug, string(line))
		l.tail = append(l.tail, string(line))
		l.tail = slices.Delete(l.tail, 0, max(0, len(l.tail)-kept))
		l.partial = slices.Clone(rest)
	}
}

func (l *lines) last() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(append(slices.Clone(l.tail), string(l.partial)), "\n")
}
