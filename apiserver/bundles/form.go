package bundles

import (
	"bytes"
	"compress/gzip"
	"container/list"
	"sync"
)

// form is an index or an object with its compressed form, which is made when a reader needs it first. The Store changes it under its lock.
type form struct {
	digest     string
	body       []byte // never changes
	named      bool   // an object, which readers get with its digest
	references int

	compressed  []byte        // nil before the first reader, and after an eviction
	compressing chan struct{} // closed when the reader that compresses has finished; nil while none does
	used        *list.Element // in recent; nil while there is no compressed form
}

// text returns an object as a line of JSON with its digest, and an index as it is.
func (f *form) text() []byte {
	if !f.named {
		return f.body
	}
	line := make([]byte, 0, len(f.body)+len(f.digest)+len(`{"digest":"","body":}`)+1)
	line = append(line, `{"digest":"`...)
	line = append(line, f.digest...)
	line = append(line, `","body":`...)
	line = append(line, f.body...)
	return append(line, "}\n"...)
}

// reader reads an index or an object.
type reader struct {
	store *Store
	form  *form
}

// Text returns the JSON document: an index as it was published, an object as a line with its digest (delivery.Content).
func (r reader) Text() []byte { return r.form.text() }

// Compressed returns Text as one gzip member. Members that follow each other are a gzip stream. It is compressed once for all readers.
func (r reader) Compressed() []byte { return r.store.compress(r.form) }

func (s *Store) compress(f *form) []byte {
	s.mu.Lock()
	for f.compressing != nil {
		done := f.compressing
		s.mu.Unlock()
		<-done
		s.mu.Lock()
	}
	defer s.mu.Unlock()
	if f.compressed != nil {
		s.recent.MoveToFront(f.used)
		return f.compressed
	}
	done := make(chan struct{})
	f.compressing = done
	s.mu.Unlock()
	compressed := gzipped(f.text())
	s.mu.Lock()
	f.compressing = nil
	close(done)
	s.counts.Compressions++
	if f.references > 0 {
		s.keep(f, compressed)
	}
	return compressed
}

// keep keeps a compressed form, and discards the least recently used ones beyond the limit. The caller has the lock.
func (s *Store) keep(f *form, compressed []byte) {
	f.compressed, f.used = compressed, s.recent.PushFront(f)
	s.counts.CompressedBytes += int64(len(compressed))
	for s.counts.CompressedBytes > s.limit {
		s.discard(s.recent.Back().Value.(*form))
		s.counts.Evictions++
	}
}

// discard discards the compressed form. The caller has the lock.
func (s *Store) discard(f *form) {
	if f.used == nil {
		return
	}
	s.recent.Remove(f.used)
	s.counts.CompressedBytes -= int64(len(f.compressed))
	f.compressed, f.used = nil, nil
}

// compressors have tables of about a megabyte each, which the indexes of all clusters need one after the other.
var compressors = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // a valid level
	return w
}}

func gzipped(text []byte) []byte {
	var b bytes.Buffer
	w := compressors.Get().(*gzip.Writer)
	defer compressors.Put(w)
	w.Reset(&b)
	_, _ = w.Write(text) // a Buffer fails never
	_ = w.Close()
	return bytes.Clone(b.Bytes()) // without the spare capacity
}
