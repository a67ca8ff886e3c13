package webhook

import (
	"errors"
	"io"
	"sync/atomic"
)

// maxHookBodies is how many bytes of all bodies that are being read are held at the same time.
const maxHookBodies = 64 << 20

var errNoRoom = errors.New("too much is being read already")

// room is memory that several readers share. Who sends nothing takes nothing, so that slow senders cannot fill it.
type room struct{ left atomic.Int64 }

func newRoom(bytes int64) *room {
	r := &room{}
	r.left.Store(bytes)
	return r
}

// taking reads from a body and takes room for it. Without a room there is no limit.
type taking struct {
	from io.Reader
	room *room
	held int64
}

// Read is errNoRoom when there is none.
func (t *taking) Read(p []byte) (int, error) {
	n, err := t.from.Read(p)
	if t.room == nil {
		return n, err
	}
	t.held += int64(n)
	if t.room.left.Add(-int64(n)) < 0 {
		return n, errNoRoom
	}
	return n, err
}

// leave gives back what was taken.
func (t *taking) leave() {
	if t.room != nil {
		t.room.left.Add(t.held)
	}
}
