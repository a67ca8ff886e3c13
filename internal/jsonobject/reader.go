package jsonobject

import (
	"bytes"
	"errors"
	"io"
	"sync"
)

const (
	// firstRead is the buffer of a Reader that waits for an object, and firstBuffer that of one that reads an object.
	firstRead, firstBuffer = 512, 16 << 10
	// mostKept is the largest buffer that is used again.
	mostKept = 64 << 10
)

// Pool holds the buffers and the decoders that several streams share: most of the time most streams wait, and need none. The zero
// value is ready for use.
type Pool struct{ buffers, decoders sync.Pool }

// Unmarshal is Decoder.Unmarshal with one of the decoders.
func (p *Pool) Unmarshal(text []byte) (map[string]any, error) {
	d, ok := p.decoders.Get().(*Decoder)
	if !ok {
		d = &Decoder{}
	}
	defer p.decoders.Put(d)
	return d.Unmarshal(text)
}

func (p *Pool) buffer() []byte {
	if kept, ok := p.buffers.Get().(*[]byte); ok {
		return (*kept)[:0]
	}
	return make([]byte, 0, firstBuffer)
}

func (p *Pool) put(buffer []byte) {
	if cap(buffer) <= mostKept {
		p.buffers.Put(&buffer)
	}
}

// Reader splits a stream of JSON objects. While it waits for an object, it holds no buffer but a small one.
type Reader struct {
	from  io.Reader
	pool  *Pool
	first [firstRead]byte
	large []byte // nil while first is enough
	text  []byte // read and not yet returned, in first or large
}

// NewReader returns a Reader of a stream.
func NewReader(from io.Reader, pool *Pool) *Reader { return &Reader{from: from, pool: pool} }

// Next returns the text of the next object, which is valid until the next call, or the error of the stream. It finds the end of
// the object only: the text may be malformed.
func (r *Reader) Next() ([]byte, error) {
	r.rest()
	var seen position
	for {
		if end, err := objectEnd(r.text, seen.at, seen.depth); err != nil {
			return nil, err
		} else if end.depth == 0 && end.at > 0 {
			object := r.text[:end.at]
			r.text = r.text[end.at:]
			return object, nil
		} else {
			seen = end
		}
		if err := r.more(); err != nil {
			return nil, err
		}
	}
}

// rest drops the space after an object, and the large buffer if nothing else was read.
func (r *Reader) rest() {
	r.text = bytes.TrimLeft(r.text, " \t\r\n")
	if len(r.text) == 0 && r.large != nil {
		r.pool.put(r.large)
		r.large, r.text = nil, nil
	}
}

// more reads once.
func (r *Reader) more() error {
	switch free := cap(r.text) - len(r.text); {
	case len(r.text) == 0 && r.large == nil:
		r.text = r.first[:0]
	case free > 0 && r.large != nil, free > 0 && cap(r.text) <= firstRead:
	case r.large == nil:
		r.large = r.pool.buffer()
		r.text = append(r.large, r.text...)
		r.large = r.text[:0]
	case cap(r.large) > 2*len(r.text): // most of it was returned already
		r.text = r.large[:copy(r.large[:cap(r.large)], r.text)]
	default:
		larger := append(make([]byte, 0, 2*cap(r.large)), r.text...)
		r.pool.put(r.large)
		r.large, r.text = larger[:0], larger
	}
	n, err := r.from.Read(r.text[len(r.text):cap(r.text)])
	r.text = r.text[:len(r.text)+n]
	if n > 0 {
		return nil
	}
	return err
}

// position is the progress through a text: everything before at was seen, and depth objects and lists are open there. Within a
// string, at is the beginning of the string.
type position struct{ at, depth int }

var errNoObject = errors.New("malformed JSON: no object begins here")

// objectEnd looks for the end of the object that begins text, from a position that it returned before. The end has depth 0.
func objectEnd(text []byte, at, depth int) (position, error) {
	for at < len(text) {
		switch text[at] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			if depth == 0 {
				return position{at + 1, 0}, nil
			}
		case '"':
			end := stringEnd(text, at+1)
			if end < 0 {
				return position{at, depth}, nil
			}
			at = end
			continue
		default:
			if depth == 0 && text[at] > ' ' {
				return position{}, errNoObject
			}
		}
		if depth <= 0 && text[at] > ' ' {
			return position{}, errNoObject
		}
		at++
	}
	if depth == 0 {
		at = 0
	}
	return position{at, depth}, nil
}

// stringEnd returns the index after the quotation mark that ends a string, or -1.
func stringEnd(text []byte, at int) int {
	for {
		i := bytes.IndexByte(text[at:], '"')
		if i < 0 {
			return -1
		}
		quote := at + i
		backslashes := 0
		for j := quote - 1; j >= at && text[j] == '\\'; j-- {
			backslashes++
		}
		if at = quote + 1; backslashes%2 == 0 {
			return at
		}
	}
}
