package apply

import (
	"encoding/binary"
	"encoding/hex"
	"iter"
	"maps"
	"slices"
	"strings"
	"unique"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/manifest"
)

// Sightings are what is kept of all objects on one cluster: Live, in little space. What was seen of an object is the same on
// many clusters but for its UID, and is in memory once. They may not be used from several places at once.
type Sightings struct {
	of map[unique.Handle[manifest.ID]]sighting
}

// sighting is a Seen.
type sighting struct {
	uid  uid
	look unique.Handle[look]
}

// look is what of a Seen many have in common.
type look struct {
	gvk                          schema.GroupVersionKind
	uid                          types.UID // of another form than a UUID
	digest, changedBy, changedAt string
	labels                       string // packed: each key before its value, sorted
	intact, preserve             bool
	adopted, deleting            bool
	fields                       uint64
	left                         string // packed: each path before its manager
	accepted                     Accepted
}

// Get is false when the object was not seen.
func (s *Sightings) Get(id manifest.ID) (Seen, bool) {
	kept, known := s.of[unique.Make(id)]
	if !known {
		return Seen{}, false
	}
	return kept.seen(), true
}

// Put replaces what was seen of the object.
func (s *Sightings) Put(id manifest.ID, seen Seen) {
	if s.of == nil {
		s.of = map[unique.Handle[manifest.ID]]sighting{}
	}
	s.of[unique.Make(id)] = sightingOf(seen)
}

// Delete forgets one object.
func (s *Sightings) Delete(id manifest.ID) { delete(s.of, unique.Make(id)) }

// Clear forgets all.
func (s *Sightings) Clear() { clear(s.of) }

// All is what was seen, in no order. What is ranged over may be deleted.
func (s *Sightings) All() iter.Seq2[manifest.ID, Seen] {
	return func(yield func(manifest.ID, Seen) bool) {
		for id, kept := range s.of {
			if !yield(id.Value(), kept.seen()) {
				return
			}
		}
	}
}

// Live is all that was seen, for one delivery.
func (s *Sightings) Live() Live {
	live := make(Live, len(s.of))
	maps.Insert(live, s.All())
	return live
}

// Settle takes over what a delivery left: see Live.Settle.
func (s *Sightings) Settle(accepted map[manifest.ID]Accepted) {
	for id, a := range accepted {
		if seen, ok := s.Get(id); ok {
			s.Put(id, seen.settled(a))
		}
	}
}

func sightingOf(s Seen) sighting {
	l := look{
		gvk: s.GVK, digest: s.Digest, changedBy: s.ChangedBy, changedAt: s.ChangedAt, intact: s.Intact,
		preserve: s.Preserve, adopted: s.Adopted, deleting: s.Deleting, fields: s.Fields, accepted: s.Accepted,
	}
	packed := uidOf(s.UID)
	if packed == (uid{}) {
		l.uid = s.UID
	}
	var labels, left []string
	for _, key := range slices.Sorted(maps.Keys(s.Labels)) {
		labels = append(labels, key, s.Labels[key])
	}
	for _, field := range s.Left {
		left = append(left, field.Path, field.Manager)
	}
	l.labels, l.left = pack(labels), pack(left)
	return sighting{packed, unique.Make(l)}
}

func (kept sighting) seen() Seen {
	l := kept.look.Value()
	s := Seen{
		GVK: l.gvk, UID: l.uid, Digest: l.digest, ChangedBy: l.changedBy, ChangedAt: l.changedAt, Intact: l.intact,
		Preserve: l.preserve, Adopted: l.adopted, Deleting: l.deleting, Fields: l.fields, Accepted: l.accepted,
	}
	if kept.uid != (uid{}) {
		s.UID = kept.uid.text()
	}
	for pair := range slices.Chunk(unpack(l.labels), 2) {
		if s.Labels == nil {
			s.Labels = map[string]string{}
		}
		s.Labels[pair[0]] = pair[1]
	}
	for pair := range slices.Chunk(unpack(l.left), 2) {
		s.Left = append(s.Left, Left{Path: pair[0], Manager: pair[1]})
	}
	return s
}

// uid is the UUID that an API server gives an object; zero for a text of another form.
type uid [16]byte

func uidOf(text types.UID) uid {
	decoded, err := hex.DecodeString(strings.ReplaceAll(string(text), "-", ""))
	if err != nil || len(decoded) != len(uid{}) || uid(decoded).text() != text {
		return uid{}
	}
	return uid(decoded)
}

func (u uid) text() types.UID {
	text := hex.AppendEncode(make([]byte, 0, 36), u[:4])
	for _, part := range [][]byte{u[4:6], u[6:8], u[8:10], u[10:]} {
		text = hex.AppendEncode(append(text, '-'), part)
	}
	return types.UID(text)
}

// pack joins texts into one that can be compared, each behind its length.
func pack(texts []string) string {
	var b []byte
	for _, text := range texts {
		b = append(binary.AppendUvarint(b, uint64(len(text))), text...)
	}
	return string(b)
}

// unpack reads what pack wrote.
func unpack(packed string) []string {
	var texts []string
	for packed != "" {
		n, size := binary.Uvarint([]byte(packed[:min(len(packed), binary.MaxVarintLen64)]))
		texts = append(texts, packed[size:size+int(n)])
		packed = packed[size+int(n):]
	}
	return texts
}
