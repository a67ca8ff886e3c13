// Package compact keeps many texts that resemble each other in a fraction of their memory.
package compact

import (
	"bytes"
	"sync"

	"github.com/klauspost/compress/s2"
)

const (
	// least is the length of the shortest text that is compressed, in bytes.
	least = 64
	// dictionaryFrom is the number of bytes of a class from which it gets a dictionary. One takes 32 KiB and its text.
	dictionaryFrom = 64 << 10
	// maxRoom bounds a buffer that is kept for the next text.
	maxRoom = 64 << 10
)

// Texts compresses texts. The texts of one class resemble each other, such as objects of a kind: one of the first is the dictionary of
// the others. The zero value is ready, and safe for concurrent use. A nil *Texts keeps each text as it is, without a copy.
type Texts struct {
	mu      sync.Mutex
	classes map[string]*class
	room    sync.Pool // *[]byte
}

type class struct {
	bytes      int
	dictionary *s2.Dict // nil until there are enough texts
}

// Text is a text that Texts keeps. The zero value is the empty text.
type Text struct {
	data       []byte
	dictionary *s2.Dict
	compressed bool
}

// Whole returns a text that is kept as it is. The caller must not change it any more.
func Whole(text []byte) Text { return Text{data: text} }

// Keep returns a text in compact form. The caller must not change the text any more, unless t is not nil.
func (t *Texts) Keep(of string, text []byte) Text {
	if t == nil {
		return Whole(text)
	}
	if len(text) < least {
		return Text{data: bytes.Clone(text)}
	}
	k := Text{dictionary: t.dictionary(of, text)}
	var room []byte
	if kept, ok := t.room.Get().(*[]byte); ok {
		room = *kept
	}
	if k.dictionary != nil {
		room = k.dictionary.Encode(room[:cap(room)], text)
	} else {
		room = s2.Encode(room[:cap(room)], text)
	}
	if k.compressed = len(room) < len(text); k.compressed {
		k.data = bytes.Clone(room)
	} else {
		k.data, k.dictionary = bytes.Clone(text), nil
	}
	if cap(room) <= maxRoom {
		t.room.Put(&room)
	}
	return k
}

// dictionary returns the dictionary of a class, nil for none yet, and counts a text.
func (t *Texts) dictionary(of string, text []byte) *s2.Dict {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.classes[of]
	if c == nil {
		if c = new(class); t.classes == nil {
			t.classes = map[string]*class{}
		}
		t.classes[of] = c
	}
	if c.dictionary == nil {
		if c.bytes += len(text); c.bytes >= dictionaryFrom {
			c.dictionary = s2.MakeDict(bytes.Clone(text), nil)
		}
	}
	return c.dictionary
}

// Bytes returns the text, which the caller must not change.
func (k Text) Bytes() []byte {
	if !k.compressed {
		return k.data
	}
	return k.decode(nil)
}

// Read calls do with the text, which do must neither change nor keep.
func (k Text) Read(do func(text []byte)) {
	if !k.compressed {
		do(k.data)
		return
	}
	room := rooms.Get().(*[]byte)
	text := k.decode((*room)[:cap(*room)])
	do(text)
	if cap(text) <= maxRoom {
		*room = text
	}
	rooms.Put(room)
}

// rooms are buffers of at most maxRoom bytes for Read.
var rooms = sync.Pool{New: func() any { return new([]byte) }}

// decode returns the text, in room if it has the capacity.
func (k Text) decode(room []byte) (text []byte) {
	var err error
	if k.dictionary != nil {
		text, err = k.dictionary.Decode(room, k.data)
	} else {
		text, err = s2.Decode(room, k.data)
	}
	if err != nil {
		panic("compact: the memory is damaged: " + err.Error()) // nobody but Keep makes a Text
	}
	return text
}

// Len returns the length of the text in bytes.
func (k Text) Len() int {
	if !k.compressed {
		return len(k.data)
	}
	n, err := s2.DecodedLen(k.data)
	if err != nil {
		panic("compact: the memory is damaged: " + err.Error())
	}
	return n
}
