package live

import (
	"encoding/binary"
	"encoding/hex"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"unique"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/apply/ownership"
)

// Objects has the observed objects of one cluster that carry accord's label. For a delivery it has to be complete for
// every kind that is planned or in the inventory: an object that it lacks counts as absent, or as not owned.
//
// Objects are compact: the parts that are equal on many clusters, all but UID and version, are in memory once. The zero
// value is empty. Objects are not safe for concurrent use.
type Objects struct {
	// of has the objects that base lacks, those that differ from base, and an absent one for each object that was deleted from base.
	of map[unique.Handle[manifest.ID]]packed
	// base is shared by copies; nil for none.
	base *base
	n    int
}

// base has objects that copies share. It never changes.
type base struct {
	of map[unique.Handle[manifest.ID]]packed
	// has is the last inventory of which base was found to have all objects.
	has atomic.Pointer[Inventory]
}

// get returns the object with an ID; false if b, which may be nil, does not have it.
func (b *base) get(id unique.Handle[manifest.ID]) (kept packed, known bool) {
	if b == nil {
		return packed{}, false
	}
	kept, known = b.of[id]
	return kept, known
}

// all returns the objects of b, which may be nil.
func (b *base) all() map[unique.Handle[manifest.ID]]packed {
	if b == nil {
		return nil
	}
	return b.of
}

// hasAll reports whether b, which may be nil, has all objects of an inventory. It looks at them once for each inventory: most deliveries
// keep the one before.
func (b *base) hasAll(inv *Inventory) bool {
	if b == nil {
		return false
	}
	if b.has.Load() == inv {
		return true
	}
	for id := range inv.ids {
		if _, known := b.of[id]; !known {
			return false
		}
	}
	b.has.Store(inv)
	return true
}

// leastMerged is the number of changed objects, beside an eighth of all, from which a copy has all objects in one map again.
const leastMerged = 64

// packed is an Object in a compact form.
type packed struct {
	uid       uid
	version   uint64
	written   uint64
	appliedAt int64
	look      unique.Handle[shared]
}

// shared is the part of an Object that is equal on many clusters.
type shared struct {
	gvk                          schema.GroupVersionKind
	uid                          types.UID // of another form than a UUID
	digest, changedBy, changedAt string
	labels                       string // packed: each key before its value, sorted
	intact, exact, preserve      bool
	compared, mutated            bool
	overwritten                  bool
	adopted, deleting            bool
	controller                   string
	deletedAt                    int64
	finalizer                    string
	fields                       ownership.Hash
	left                         string // packed: each path before its manager
	accepted                     Accepted
}

// absent reports whether the object was deleted.
func (kept packed) absent() bool { return kept.look == unique.Handle[shared]{} }

// Len returns the number of objects.
func (l *Objects) Len() int { return l.n }

func (l *Objects) get(id unique.Handle[manifest.ID]) (kept packed, known bool) {
	if kept, known = l.of[id]; known {
		return kept, !kept.absent()
	}
	return l.base.get(id)
}

func (l *Objects) has(id unique.Handle[manifest.ID]) bool {
	_, known := l.get(id)
	return known
}

// all iterates over the objects in no order. The loop may delete the current one.
func (l *Objects) all() iter.Seq2[unique.Handle[manifest.ID], packed] {
	return func(yield func(unique.Handle[manifest.ID], packed) bool) {
		for id, kept := range l.base.all() {
			if _, changed := l.of[id]; !changed && !yield(id, kept) {
				return
			}
		}
		for id, kept := range l.of {
			if !kept.absent() && !yield(id, kept) {
				return
			}
		}
	}
}

// Get returns an object, and false if it was not observed.
func (l *Objects) Get(id manifest.ID) (Object, bool) {
	kept, known := l.get(unique.Make(id))
	if !known {
		return Object{}, false
	}
	return kept.object(), true
}

// Put stores an object.
func (l *Objects) Put(id manifest.ID, seen Object) {
	if l.of == nil {
		l.of = map[unique.Handle[manifest.ID]]packed{}
	}
	known := unique.Make(id)
	if !l.has(known) {
		l.n++
	}
	l.of[known] = packObject(seen)
	if l.base != nil && len(l.of) > leastMerged+len(l.base.of)/8 {
		all := make(map[unique.Handle[manifest.ID]]packed, l.n)
		maps.Insert(all, l.all())
		l.of, l.base = all, nil
	}
}

// Delete removes one object.
func (l *Objects) Delete(id manifest.ID) {
	known := unique.Make(id)
	if !l.has(known) {
		return
	}
	l.n--
	if _, shared := l.base.get(known); !shared {
		delete(l.of, known)
		return
	}
	if l.of == nil {
		l.of = map[unique.Handle[manifest.ID]]packed{}
	}
	l.of[known] = packed{}
}

// Clear removes all objects.
func (l *Objects) Clear() { *l = Objects{} }

// All iterates over the objects in no order. The loop may delete the current one.
func (l *Objects) All() iter.Seq2[manifest.ID, Object] {
	return func(yield func(manifest.ID, Object) bool) {
		for id, kept := range l.all() {
			if !yield(id.Value(), kept.object()) {
				return
			}
		}
	}
}

// Clone returns a copy, for one delivery. It costs as much as the number of objects that changed since an earlier copy.
func (l *Objects) Clone() *Objects {
	if l.base == nil {
		l.base, l.of = &base{of: l.of}, nil
	}
	return &Objects{of: maps.Clone(l.of), base: l.base, n: l.n}
}

// Settle applies the answers of a delivery (Outcome.Answers), whether or not the watch has delivered the new
// objects.
func (l *Objects) Settle(answers map[manifest.ID]Answer) {
	for id, a := range answers {
		if seen, ok := l.Get(id); ok { // else the watch has not delivered it yet; then the fields are compared
			l.Put(id, seen.settled(a))
		}
	}
}

// Matches reports whether an object exists as planned, and nothing mutated it. Most objects do, and are not unpacked.
func (l *Objects) Matches(p propagate.Placed) bool {
	kept, there := l.get(unique.Make(p.ID))
	if !there {
		return false
	}
	seen := kept.look.Value()
	return seen.digest == p.Digest && seen.intact && !seen.mutated && (seen.left == "" || kept.object().yieldsAllowed(p.Yields))
}

// Except iterates over the observed objects that a plan does not have, in no order.
func (l *Objects) Except(target propagate.ClusterPlan) iter.Seq2[manifest.ID, Object] {
	return func(yield func(manifest.ID, Object) bool) {
		wanted := make(map[unique.Handle[manifest.ID]]bool, l.n)
		want := func(id manifest.ID) {
			if known := unique.Make(id); l.has(known) {
				wanted[known] = true
			}
		}
		for _, p := range target.Objects {
			want(p.ID)
		}
		for _, f := range target.Failed {
			want(f.ID)
		}
		if len(wanted) == l.n { // usually
			return
		}
		for id, kept := range l.all() {
			if !wanted[id] && !yield(id.Value(), kept.object()) {
				return
			}
		}
	}
}

// HasAll reports whether all objects of an inventory were observed, except those that but returns true for.
func (l *Objects) HasAll(inv *Inventory, but func(manifest.ID) bool) bool {
	if inv == nil {
		return true
	}
	if l.base.hasAll(inv) {
		for id, kept := range l.of {
			if kept.absent() && inv.ids[id] && !but(id.Value()) {
				return false
			}
		}
		return true
	}
	for id := range inv.ids {
		if !l.has(id) && !but(id.Value()) {
			return false
		}
	}
	return true
}

// IDs iterates over all objects in no order.
func (l *Objects) IDs() iter.Seq[manifest.ID] {
	return func(yield func(manifest.ID) bool) {
		for id := range l.all() {
			if !yield(id.Value()) {
				return
			}
		}
	}
}

func packObject(s Object) packed {
	l := shared{
		gvk: s.GVK, digest: s.Digest, changedBy: s.ChangedBy, changedAt: s.ChangedFields, intact: s.Intact, exact: s.Exact,
		preserve: s.Preserve, adopted: s.Adopted, controller: s.Controller, deleting: s.Deleting, deletedAt: s.DeletedAt, finalizer: s.Finalizer, fields: s.Fields, accepted: s.Accepted,
		compared: s.Compared, mutated: s.Mutated, overwritten: s.Overwritten,
	}
	id := uidOf(s.UID)
	if id == (uid{}) {
		l.uid = s.UID
	}
	var labels, left []string
	for _, key := range slices.Sorted(maps.Keys(s.Labels)) {
		labels = append(labels, key, s.Labels[key])
	}
	for _, field := range s.Yielded {
		left = append(left, field.Path, field.Manager)
	}
	l.labels, l.left = pack(labels), pack(left)
	return packed{id, s.Version, s.Written, s.AppliedAt, unique.Make(l)}
}

func (kept packed) object() Object {
	l := kept.look.Value()
	s := Object{
		GVK: l.gvk, UID: l.uid, Version: kept.version, Digest: l.digest, ChangedBy: l.changedBy, ChangedFields: l.changedAt, Intact: l.intact, Exact: l.exact,
		Preserve: l.preserve, Adopted: l.adopted, Controller: l.controller, Deleting: l.deleting, DeletedAt: l.deletedAt, Finalizer: l.finalizer, Fields: l.fields, Accepted: l.accepted,
		Comparison: Comparison{Compared: l.compared, Mutated: l.mutated, Overwritten: l.overwritten, Written: kept.written, AppliedAt: kept.appliedAt},
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
		s.Yielded = append(s.Yielded, ownership.Yielded{Path: pair[0], Manager: pair[1]})
	}
	return s
}

// uid is a UUID; zero for a UID of another form.
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

// pack joins strings into a comparable one, each after its length.
func pack(texts []string) string {
	var b []byte
	for _, text := range texts {
		b = append(binary.AppendUvarint(b, uint64(len(text))), text...)
	}
	return string(b)
}

// unpack splits a packed string.
func unpack(packed string) []string {
	var texts []string
	for packed != "" {
		n, size := binary.Uvarint([]byte(packed[:min(len(packed), binary.MaxVarintLen64)]))
		texts = append(texts, packed[size:size+int(n)])
		packed = packed[size+int(n):]
	}
	return texts
}
