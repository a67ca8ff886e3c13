package jsonobject

import (
	"bytes"
	"io"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// firstRead is the buffer of a Reader that waits for an object.
const firstRead = 512

// Pool holds the decoders, with their buffers, that several streams share: most of the time most streams wait, and need none. The
// zero value is ready for use.
type Pool struct{ streams, decoders sync.Pool }

// Unmarshal is Decoder.Unmarshal with one of the decoders.
func (p *Pool) Unmarshal(text []byte) (map[string]any, error) {
	d := p.decoder()
	defer p.decoders.Put(d)
	return d.Unmarshal(text)
}

func (p *Pool) decoder() *Decoder {
	if d, ok := p.decoders.Get().(*Decoder); ok {
		return d
	}
	return &Decoder{}
}

func (p *Pool) stream() *jsontext.Decoder {
	if s, ok := p.streams.Get().(*jsontext.Decoder); ok {
		return s
	}
	return new(jsontext.Decoder)
}

// Reader splits a stream of JSON objects. While it waits for an object, it holds no buffer but a small one.
type Reader struct {
	from   io.Reader
	pool   *Pool
	first  [firstRead]byte
	begin  bytes.Reader      // of what first has
	stream *jsontext.Decoder // nil while everything read was returned
}

// NewReader returns a Reader of a stream.
func NewReader(from io.Reader, pool *Pool) *Reader { return &Reader{from: from, pool: pool} }

// Next returns the text of the next object, which is valid until the next call, or the error of the stream.
func (r *Reader) Next() ([]byte, error) {
	if r.stream != nil && r.begin.Len() == 0 && len(bytes.TrimSpace(r.stream.UnreadBuffer())) == 0 {
		r.pool.streams.Put(r.stream)
		r.stream = nil
	}
	if r.stream == nil {
		n, err := r.from.Read(r.first[:])
		if n == 0 && err != nil {
			return nil, err
		}
		r.begin.Reset(r.first[:n])
		r.stream = r.pool.stream()
		r.stream.Reset(io.MultiReader(&r.begin, r.from), lenient...)
	}
	text, err := r.stream.ReadValue()
	if err != nil {
		return nil, err
	}
	return text, nil
}
