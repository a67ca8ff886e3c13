package jsonobject

import (
	"bytes"
	"io"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// firstRead is the buffer of a Reader that waits for an object.
const firstRead = 512

// streams and decoders, with their buffers, are shared by all streams and calls: most of the time most streams wait, and need none.
var (
	streams  = sync.Pool{New: func() any { return new(jsontext.Decoder) }}
	decoders = sync.Pool{New: func() any { return new(Decoder) }}
)

// Unmarshal is Decoder.Unmarshal with a shared decoder.
func Unmarshal(text []byte) (map[string]any, error) {
	d := decoders.Get().(*Decoder)
	defer decoders.Put(d)
	return d.Unmarshal(text)
}

// UnmarshalAll is Decoder.UnmarshalAll with a shared decoder.
func UnmarshalAll(text []byte) (map[string]any, error) {
	d := decoders.Get().(*Decoder)
	defer decoders.Put(d)
	return d.UnmarshalAll(text)
}

// Reader splits a stream of JSON objects. While it waits for an object, it holds no buffer but a small one.
type Reader struct {
	from   io.Reader
	first  [firstRead]byte
	begin  bytes.Reader      // of what first has
	stream *jsontext.Decoder // nil while everything read was returned
}

// NewReader returns a Reader of a stream.
func NewReader(from io.Reader) *Reader { return &Reader{from: from} }

// Next returns the text of the next object, which is valid until the next call, or the error of the stream.
func (r *Reader) Next() ([]byte, error) {
	if r.stream != nil && r.begin.Len() == 0 && len(bytes.TrimSpace(r.stream.UnreadBuffer())) == 0 {
		streams.Put(r.stream)
		r.stream = nil
	}
	if r.stream == nil {
		n, err := r.from.Read(r.first[:])
		if n == 0 && err != nil {
			return nil, err
		}
		r.begin.Reset(r.first[:n])
		r.stream = streams.Get().(*jsontext.Decoder)
		r.stream.Reset(io.MultiReader(&r.begin, r.from), lenient...)
	}
	text, err := r.stream.ReadValue()
	if err != nil {
		return nil, err
	}
	return text, nil
}
