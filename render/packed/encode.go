// Package packed encodes decoded files of manifests so that they are read again in a fraction of the time that their YAML takes.
//
// A pack begins with its distinct strings, and the lists and maps that several objects share in memory. Groups of files follow, which
// can be decoded at the same time. The format has no version and no checksum: the owner of a pack keeps both.
package packed

import (
	"encoding/binary"
	"maps"
	"math"
	"reflect"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/render"
	"github.com/accord-dev/accord/render/decode"
)

// groupFiles is the number of files that are decoded together.
const groupFiles = 256

// maxDepth bounds the nesting of a value. Manifests are not deeper than decode.MaxDepth.
const maxDepth = decode.MaxDepth + 10

// The kinds of values.
const (
	tagNull = iota
	tagFalse
	tagTrue
	tagInt
	tagFloat
	tagString
	tagList
	tagMap
	tagShared
)

// Encode encodes files. It leaves out a file with a value that JSON does not have, and one whose objects are not in it.
func Encode(files []render.StoredFile) []byte {
	w := &writer{index: map[string]uint64{}, uses: map[part]int{}, places: map[part]uint64{}}
	for _, f := range files {
		for _, o := range f.Objects {
			w.count(o.Manifest.Get().Object, 0)
		}
	}
	var groups [][]byte
	var group []byte
	n := 0
	for _, f := range files {
		encoded, ok := w.file(nil, f)
		if !ok {
			continue
		}
		group = append(group, encoded...)
		if n++; n%groupFiles == 0 {
			groups, group = append(groups, group), nil
		}
	}
	if len(group) > 0 {
		groups = append(groups, group)
	}
	b := binary.AppendUvarint(nil, uint64(len(w.strings)))
	for _, s := range w.strings {
		b = binary.AppendUvarint(b, uint64(len(s)))
	}
	for _, s := range w.strings {
		b = append(b, s...)
	}
	for _, list := range [][][]byte{w.shared, groups} {
		b = binary.AppendUvarint(b, uint64(len(list)))
		for _, encoded := range list {
			b = append(binary.AppendUvarint(b, uint64(len(encoded))), encoded...)
		}
	}
	return b
}

type writer struct {
	strings []string
	index   map[string]uint64
	uses    map[part]int
	shared  [][]byte // each after those in it
	places  map[part]uint64
}

// part identifies a list or map in memory.
type part struct {
	at  uintptr
	len int
}

// partOf returns the part of a value; ok is false for an empty one, and for other values.
func partOf(v any) (p part, ok bool) {
	switch v := v.(type) {
	case []any:
		p.len = len(v)
	case map[string]any:
		p.len = len(v)
	}
	if p.len == 0 {
		return p, false
	}
	p.at = reflect.ValueOf(v).Pointer()
	return p, true
}

// count counts the uses of each list and map.
func (w *writer) count(v any, depth int) {
	p, ok := partOf(v)
	if !ok || depth > maxDepth {
		return
	}
	if w.uses[p]++; w.uses[p] > 1 {
		return
	}
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			w.count(item, depth+1)
		}
	case map[string]any:
		for _, item := range v {
			w.count(item, depth+1)
		}
	}
}

// text appends the index of a string.
func (w *writer) text(b []byte, s string) []byte {
	i, known := w.index[s]
	if !known {
		i = uint64(len(w.strings))
		w.index[s], w.strings = i, append(w.strings, s)
	}
	return binary.AppendUvarint(b, i)
}

func (w *writer) file(b []byte, f render.StoredFile) ([]byte, bool) {
	b = binary.AppendUvarint(w.text(w.text(b, f.Path), f.ContentID), uint64(len(f.Objects)))
	for _, o := range f.Objects {
		if o.Origin != (manifest.Origin{Source: o.Origin.Source, Path: f.Path, Line: o.Origin.Line}) || o.Origin.Line < 0 {
			return nil, false
		}
		b = w.text(binary.AppendUvarint(b, uint64(o.Origin.Line)), o.Digest)
		if o.Text == nil {
			b = append(b, 0)
		} else {
			b = append(binary.AppendUvarint(append(b, 1), uint64(len(o.Text))), o.Text...)
		}
		var ok bool
		if b, ok = w.value(b, o.Manifest.Get().Object, 0); !ok {
			return nil, false
		}
	}
	return b, true
}

// value appends a value, or the index of a shared one; ok is false for one that is not of JSON, or too deep.
func (w *writer) value(b []byte, v any, depth int) (_ []byte, ok bool) {
	p, is := partOf(v)
	if !is || w.uses[p] < 2 {
		return w.whole(b, v, depth)
	}
	i, known := w.places[p]
	if !known {
		encoded, ok := w.whole(nil, v, depth)
		if !ok {
			return nil, false
		}
		i = uint64(len(w.shared))
		w.places[p], w.shared = i, append(w.shared, encoded)
	}
	return binary.AppendUvarint(append(b, tagShared), i), true
}

// whole appends a value itself.
func (w *writer) whole(b []byte, v any, depth int) (_ []byte, ok bool) {
	if depth > maxDepth {
		return nil, false
	}
	switch v := v.(type) {
	case nil:
		return append(b, tagNull), true
	case bool:
		if v {
			return append(b, tagTrue), true
		}
		return append(b, tagFalse), true
	case int64:
		return binary.AppendVarint(append(b, tagInt), v), true
	case float64:
		return binary.LittleEndian.AppendUint64(append(b, tagFloat), math.Float64bits(v)), true
	case string:
		return w.text(append(b, tagString), v), true
	case []any:
		b = binary.AppendUvarint(append(b, tagList), uint64(len(v)))
		for _, item := range v {
			if b, ok = w.value(b, item, depth+1); !ok {
				return nil, false
			}
		}
		return b, v != nil
	case map[string]any:
		b = binary.AppendUvarint(append(b, tagMap), uint64(len(v)))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if b, ok = w.value(w.text(b, key), v[key], depth+1); !ok {
				return nil, false
			}
		}
		return b, v != nil
	}
	return nil, false
}
