// Package decode reads the YAML and JSON documents of a file into the values that apimachinery keeps in Unstructured. Its errors have
// the file and the line of a mistake.
package decode

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"unicode/utf8"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/render/mistake"
)

// Limits of one read. They are far above real manifests: etcd rejects objects above 1.5 MiB, and the largest bundles of
// CRDs have some 10 MiB.
const (
	MaxFileSize = 16 << 20 // bytes of one file, and of the strings in one document with repeated aliases
	MaxDepth    = 200      // levels of nesting in one document
	MaxNodes    = 500_000  // values in one document with repeated aliases
)

// Document is one YAML document of a file. Its text begins with its first line that is not a comment.
type Document struct {
	Line int // of the file, from 1
	Text []byte
}

// File is one file that is read. Its methods return errors with its place.
type File struct{ Origin manifest.Origin }

// At returns the place of a line of the file, or the origin of f if the line is 0.
func (f File) At(line int) manifest.Origin {
	o := f.Origin
	if line > 0 {
		o.Line = line
	}
	return o
}

func (f File) Errorf(line int, format string, args ...any) error {
	return &manifest.Error{Origin: f.At(line), Message: mistake.Clip(fmt.Sprintf(format, args...))}
}

// Read returns the content of the file, which the caller must not change. A file system that keeps its files in memory has a method
// ReadShared; the content is then in memory once.
func (f File) Read(fsys fs.FS) ([]byte, error) {
	info, err := fs.Stat(fsys, f.Origin.Path)
	if err != nil {
		return nil, f.Errorf(0, "cannot be read: %v", mistake.Reason(err))
	}
	if info.Size() > MaxFileSize {
		return nil, f.Errorf(0, "has %d bytes, at most %d are allowed", info.Size(), MaxFileSize)
	}
	readFile := func(name string) ([]byte, error) { return fs.ReadFile(fsys, name) }
	if memory, is := fsys.(interface {
		ReadShared(name string) ([]byte, error)
	}); is {
		readFile = memory.ReadShared
	}
	data, err := readFile(f.Origin.Path)
	if err != nil {
		return nil, f.Errorf(0, "cannot be read: %v", mistake.Reason(err))
	}
	return data, nil
}

// Normalize converts data to UTF-8 with plain line feeds and without a byte order mark.
func (f File) Normalize(data []byte) ([]byte, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if bytes.HasPrefix(data, []byte{0xfe, 0xff}) || bytes.HasPrefix(data, []byte{0xff, 0xfe}) {
		return nil, f.Errorf(1, "is UTF-16; save it as UTF-8")
	}
	if bytes.IndexByte(data, '\r') >= 0 {
		data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	}
	if utf8.Valid(data) {
		if path.Ext(f.Origin.Path) == ".json" {
			data = jsonEscapes.ReplaceAllFunc(data, unescapeJSON)
		}
		return data, nil
	}
	for i, line := range bytes.Split(data, []byte("\n")) {
		if !utf8.Valid(line) {
			return nil, f.Errorf(i+1, "is not valid UTF-8")
		}
	}
	return data, nil
}

// jsonEscapes matches the escapes of JSON that the YAML library lacks: "\/" and surrogate pairs. It also matches an
// escaped backslash, so that the text after the backslash is not taken for an escape.
var jsonEscapes = regexp.MustCompile(`\\\\|\\/|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}`)

// unescapeJSON returns the character of an escape.
func unescapeJSON(escaped []byte) []byte {
	if string(escaped) == `\\` {
		return escaped
	}
	var text string
	if err := json.Unmarshal(slices.Concat([]byte{'"'}, escaped, []byte{'"'}), &text); err != nil {
		return escaped
	}
	return []byte(text)
}

// Split splits a stream at its document markers: "---" and "..." at the beginning of a line, which YAML allows nowhere
// else. It drops documents that have only comments and directives.
func Split(data []byte) []Document {
	var documents []Document
	var current Document
	flush := func() {
		if current.Line > 0 {
			documents = append(documents, current)
		}
		current = Document{}
	}
	number := 0
	for len(data) > 0 {
		line := data
		if end := bytes.IndexByte(data, '\n'); end >= 0 {
			line = data[:end+1]
		}
		rest := data[len(line):]
		number++
		marks, content := marker(line)
		if marks {
			flush()
		}
		switch {
		case current.Line > 0:
			current.Text = current.Text[:len(current.Text)+len(line)] // the lines are adjacent in data
		case content:
			current = Document{Line: number, Text: data[:len(line)]}
		}
		data = rest
	}
	flush()
	return documents
}

// marker reports whether a line separates documents, and whether it has content that could begin a document.
func marker(line []byte) (marks, content bool) {
	text := bytes.TrimSpace(line)
	if len(line) >= 3 && (bytes.HasPrefix(line, []byte("---")) || bytes.HasPrefix(line, []byte("..."))) &&
		(len(line) == 3 || line[3] == ' ' || line[3] == '\t' || line[3] == '\n') {
		marks = true
		text = bytes.TrimSpace(line[3:])
	}
	return marks, len(text) > 0 && text[0] != '#' && line[0] != '%'
}

// maxValues returns an upper bound for the values in the text: one of these characters precedes each value but the
// first. The YAML library allocates some 300 bytes per value before decoder can count them.
func (d Document) maxValues() int {
	n := 1 + bytes.Count(d.Text, []byte("- ")) + bytes.Count(d.Text, []byte("-\t"))
	for _, c := range d.Text {
		switch c {
		case '\n', ',', ':', '[', '{', '?':
			n++
		}
	}
	return n
}
