package store

import (
	"strconv"
	"sync"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// versions are the resource versions of the records as this process read or wrote them last.
type versions struct {
	mu sync.Mutex
	of map[string]uint64 // by title and namespace
}

func versionKey(obj client.Object) string { return title(obj) + "/" + obj.GetNamespace() }

// note records the resource version of obj in an answer of the hub. Answers may arrive in any order.
func (v *versions) note(obj client.Object, version string) {
	number, err := strconv.ParseUint(version, 10, 64)
	if err != nil {
		return // of another form: it is as new as nothing
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	key := versionKey(obj)
	v.of[key] = max(v.of[key], number)
}

func (v *versions) drop(obj client.Object) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.of, versionKey(obj))
}

func (v *versions) get(obj client.Object) uint64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.of[versionKey(obj)]
}
