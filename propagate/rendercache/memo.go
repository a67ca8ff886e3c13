// Package rendercache remembers the digests of rendered objects from one run of accord plan to the next. An entry has no content: it is for
// objects that do not change.
package rendercache

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/accord-dev/accord/propagate/digest"
	"github.com/accord-dev/accord/render/override"
)

// Entry is a rendered object without its content.
type Entry struct {
	// Sum is the digest of the content.
	Sum digest.Sum
	// Edits are the changes by overrides. Entries share them.
	Edits []override.Edit
}

// Memo has entries by a digest of everything that the object was rendered from. It is safe for concurrent use.
type Memo struct {
	mu    sync.Mutex
	known map[digest.Sum]Entry
	used  map[digest.Sum]Entry
	added int
}

// New returns an empty Memo.
func New() *Memo { return &Memo{known: map[digest.Sum]Entry{}, used: map[digest.Sum]Entry{}} }

// Get returns an entry.
func (m *Memo) Get(key digest.Sum) (Entry, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, known := m.known[key]
	if known {
		m.used[key] = e
	}
	return e, known
}

// Put adds an entry.
func (m *Memo) Put(key digest.Sum, e Entry) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known[key], m.used[key] = e, e
	m.added++
}

// Added returns the number of entries that were added.
func (m *Memo) Added() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.added
}

// Encode encodes the entries that were used or added.
func (m *Memo) Encode() ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var lists [][]byte
	index := map[string]uint64{}
	var entries []byte
	for _, key := range slices.SortedFunc(maps.Keys(m.used), func(a, b digest.Sum) int { return cmp.Compare(string(a[:]), string(b[:])) }) {
		e := m.used[key]
		edits, err := override.EncodeEdits(e.Edits)
		if err != nil {
			return nil, err
		}
		i, known := index[string(edits)]
		if !known {
			i = uint64(len(lists))
			index[string(edits)], lists = i, append(lists, edits)
		}
		entries = binary.AppendUvarint(append(append(entries, key[:]...), e.Sum[:]...), i)
	}
	b := binary.AppendUvarint(nil, uint64(len(lists)))
	for _, list := range lists {
		b = append(binary.AppendUvarint(b, uint64(len(list))), list...)
	}
	return append(binary.AppendUvarint(b, uint64(len(m.used))), entries...), nil
}

// errDamaged means that data was not made by Encode.
var errDamaged = errors.New("the remembered digests are damaged")

// Decode returns the Memo that Encode encoded.
func Decode(data []byte) (*Memo, error) {
	r := bytes.NewReader(data)
	n, err := binary.ReadUvarint(r)
	if err != nil || n > uint64(r.Len()) {
		return nil, errDamaged
	}
	lists := make([][]override.Edit, n)
	for i := range lists {
		size, err := binary.ReadUvarint(r)
		if err != nil || size > uint64(r.Len()) {
			return nil, errDamaged
		}
		text := make([]byte, size)
		_, _ = r.Read(text) // it has that many bytes
		if lists[i], err = override.DecodeEdits(text); err != nil {
			return nil, err
		}
	}
	n, err = binary.ReadUvarint(r)
	if err != nil || n > uint64(r.Len()) {
		return nil, errDamaged
	}
	m := &Memo{known: make(map[digest.Sum]Entry, n), used: make(map[digest.Sum]Entry, n)}
	for range n {
		var sums [2]digest.Sum
		for i := range sums {
			if size, err := r.Read(sums[i][:]); err != nil || size < len(sums[i]) {
				return nil, errDamaged
			}
		}
		i, err := binary.ReadUvarint(r)
		if err != nil || i >= uint64(len(lists)) {
			return nil, errDamaged
		}
		m.known[sums[0]] = Entry{sums[1], lists[i]}
	}
	if r.Len() > 0 {
		return nil, errDamaged
	}
	return m, nil
}
