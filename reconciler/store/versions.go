package store

import (
	"slices"
	"strconv"
	"sync"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// versions are the resource versions of the records that this process read or wrote.
type versions struct {
	mu      sync.Mutex
	of      map[string]written // by title and namespace
	writing map[string]int     // writes without an answer
}

func newVersions() *versions { return &versions{of: map[string]written{}, writing: map[string]int{}} }

// written are the newest versions of one record that this process wrote, sorted.
type written struct {
	newest []uint64
	// floor is the version up to which all versions count as known: the one that was read, or the last that newest dropped.
	floor uint64
}

// keptVersions bounds written.newest. A version is needed until the watch delivers its event.
const keptVersions = 8

func versionKey(obj client.Object) string { return title(obj) + "/" + obj.GetNamespace() }

// note records the resource version of obj in an answer of the hub. Answers may arrive in any order.
func (v *versions) note(obj client.Object, version string) {
	number, err := strconv.ParseUint(version, 10, 64)
	if err != nil {
		return // of another form: no version is known
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	w := v.of[versionKey(obj)]
	if i, known := slices.BinarySearch(w.newest, number); !known {
		w.newest = slices.Insert(w.newest, i, number)
	}
	if len(w.newest) > keptVersions {
		w.floor, w.newest = w.newest[0], slices.Delete(w.newest, 0, 1)
	}
	v.of[versionKey(obj)] = w
}

// read records that this process read a version of obj, and with it all earlier ones.
func (v *versions) read(obj client.Object, version string) {
	v.note(obj, version)
	v.mu.Lock()
	defer v.mu.Unlock()
	if w := v.of[versionKey(obj)]; len(w.newest) > 0 {
		w.floor = max(w.floor, w.newest[0])
		v.of[versionKey(obj)] = w
	}
}

// begin records that a write of obj begins. It returns the function that records its end, after the version in the answer.
func (v *versions) begin(obj client.Object) (end func()) {
	key := versionKey(obj)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.writing[key]++
	return func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		if v.writing[key]--; v.writing[key] == 0 {
			delete(v.writing, key)
		}
	}
}

func (v *versions) isWriting(obj client.Object) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.writing[versionKey(obj)] > 0
}

func (v *versions) drop(obj client.Object) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.of, versionKey(obj))
}

// isKnown reports whether this process read or wrote a version of obj. ok is false if it did neither with any version.
func (v *versions) isKnown(obj client.Object, version uint64) (known, ok bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	w, ok := v.of[versionKey(obj)]
	_, isOurs := slices.BinarySearch(w.newest, version)
	return isOurs || version <= w.floor, ok
}
