// Package override rewrites one object for one cluster, following Karmada's override policies (Karmada §3.2 to §3.5),
// and remembers which rule made each change.
package override

import (
	"strconv"
	"strings"

	"github.com/accord-dev/accord/api/manifest"
)

// Edit is one change that an override made.
type Edit struct {
	At     manifest.Origin // the overrider that made it
	Policy string          // "<namespace>/<name>", or "<name>" for a cluster-wide policy
	// Field is the path of the overrider in the policy: "spec.overrideRules[0].overriders.imageOverrider[1]".
	Field string
	// Path is the JSON pointer of what it changed, in the object as it was when the edit was made. What is appended to
	// a list has its index, not "-".
	Path string
	// moved is 1 when an item was inserted into a list at Path, -1 when one was taken out: later items then have
	// another index.
	moved int8
}

// Last is the edit that set the field at a JSON pointer last: of the field itself, of a parent of it, or of something
// below it. Items of a list are followed through insertions and removals before them. edits are those of one object, as
// Apply returned them, and pointer is of the object as it became. ok is false when no override touched the field.
func Last(edits []Edit, pointer string) (last Edit, ok bool) {
	for i := len(edits) - 1; i >= 0; i-- {
		e := edits[i]
		if e.moved != 0 {
			before, same := e.follow(pointer)
			if same {
				pointer = before
				continue
			}
		}
		if within(pointer, e.Path) || within(e.Path, pointer) {
			return e, true
		}
	}
	return Edit{}, false
}

// follow is where the item at or above pointer was before e moved the items of its list. same is false when e itself
// put what is there, or when pointer is not of an item of that list.
func (e Edit) follow(pointer string) (before string, same bool) {
	cut := strings.LastIndexByte(e.Path, '/') + 1
	rest, ok := strings.CutPrefix(pointer, e.Path[:cut])
	if !ok {
		return "", false
	}
	token, _, _ := strings.Cut(rest, "/")
	at, err := strconv.Atoi(e.Path[cut:])
	now, errNow := strconv.Atoi(token)
	if err != nil || errNow != nil || e.moved > 0 && now == at {
		return "", false
	}
	if now >= at {
		now -= int(e.moved)
	}
	return e.Path[:cut] + strconv.Itoa(now) + rest[len(token):], true
}

// within says whether a JSON pointer is parent or below it.
func within(pointer, parent string) bool {
	rest, ok := strings.CutPrefix(pointer, parent)
	return ok && (rest == "" || rest[0] == '/')
}
