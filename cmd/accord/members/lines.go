package members

import (
	"bytes"
	"fmt"
	"io"
	"sync"
)

// lines writes what several clusters print at the same time to one writer, each line whole.
type lines struct {
	mu sync.Mutex
	to io.Writer
}

// prefixed returns a writer of one cluster, whose lines begin with prefix. Its Close writes a last line without an end.
func (l *lines) prefixed(prefix string) *prefixedLines { return &prefixedLines{all: l, prefix: prefix} }

type prefixedLines struct {
	all    *lines
	prefix string
	rest   []byte
}

// Write implements io.Writer.
func (p *prefixedLines) Write(text []byte) (int, error) {
	p.rest = append(p.rest, text...)
	end := bytes.LastIndexByte(p.rest, '\n') + 1
	var out bytes.Buffer
	for line := range bytes.Lines(p.rest[:end]) {
		out.WriteString(p.prefix)
		out.Write(line)
	}
	p.rest = bytes.Clone(p.rest[end:])
	p.all.mu.Lock()
	defer p.all.mu.Unlock()
	if _, err := out.WriteTo(p.all.to); err != nil {
		return 0, err
	}
	return len(text), nil
}

// Close implements io.Closer.
func (p *prefixedLines) Close() error {
	if len(p.rest) == 0 {
		return nil
	}
	_, err := fmt.Fprintln(p)
	return err
}
