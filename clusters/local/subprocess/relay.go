package subprocess

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// kept is the number of last lines that explain an unexpected end.
const kept = 10

// relay is a writer that takes the log of the program, and logs its records with the logger of accord. What is no record, such as a
// panic, is an error.
type relay struct {
	log *slog.Logger

	mu      sync.Mutex
	partial []byte
	tail    []string // the last lines that are no records
}

func (r *relay) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.partial = append(r.partial, p...)
	for {
		line, rest, found := bytes.Cut(r.partial, []byte("\n"))
		if !found {
			return len(p), nil
		}
		r.line(line)
		r.partial = slices.Clone(rest)
	}
}

// line logs one line.
func (r *relay) line(line []byte) {
	record, ok := decode(line)
	if !ok {
		r.tail = append(r.tail, string(line))
		r.tail = slices.Delete(r.tail, 0, max(0, len(r.tail)-kept))
		record = slog.NewRecord(time.Now(), slog.LevelError, string(line), 0)
		record.Add("component", Program)
	}
	if r.log.Enabled(context.Background(), record.Level) {
		_ = r.log.Handler().Handle(context.Background(), record) // a log that cannot be written has nowhere to say so
	}
}

// decode returns the record of a line of slog.JSONHandler. The attributes are in the order of their names.
func decode(line []byte) (slog.Record, bool) {
	var fields map[string]any
	var head struct {
		Time  time.Time
		Level *slog.Level
		Msg   string
	}
	if json.Unmarshal(line, &head) != nil || head.Level == nil || json.Unmarshal(line, &fields) != nil {
		return slog.Record{}, false
	}
	record := slog.NewRecord(head.Time, *head.Level, head.Msg, 0)
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if key != slog.TimeKey && key != slog.LevelKey && key != slog.MessageKey {
			record.Add(key, fields[key])
		}
	}
	return record, true
}

// last returns the last lines that are no records.
func (r *relay) last() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(append(slices.Clone(r.tail), string(r.partial)), "\n")
}
