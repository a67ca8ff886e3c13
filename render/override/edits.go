// Package override rewrites one object for one cluster with Karmada's override policies (Karmada §3.2 to §3.5), and
// records which rule made each change.
package override

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/accord-dev/accord/api/manifest"
)

// Edit is one change by an override.
type Edit struct {
	At     manifest.Origin // the overrider
	Policy string          // "<namespace>/<name>", or "<name>" for a cluster-wide policy
	// Field is the path of the overrider in the policy: "spec.overrideRules[0].overriders.imageOverrider[1]".
	Field string
	// Path is the JSON pointer of the changed field, in the object at the time of the edit. An appended item has its
	// index, not "-".
	Path string
	// shift is 1 if the edit inserted an item into a list at Path, and -1 if it removed one. It shifts the indexes of
	// later items.
	shift int8
}

// storedEdit is an Edit with all of its fields.
type storedEdit struct {
	Edit
	Shift int8 `json:",omitempty"`
}

// EncodeEdits encodes edits for DecodeEdits.
func EncodeEdits(edits []Edit) ([]byte, error) {
	all := make([]storedEdit, len(edits))
	for i, e := range edits {
		all[i] = storedEdit{e, e.shift}
	}
	return json.Marshal(all)
}

// DecodeEdits returns the edits that EncodeEdits encoded; nil for none.
func DecodeEdits(data []byte) ([]Edit, error) {
	var all []storedEdit
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("decoding edits: %w", err)
	}
	var edits []Edit
	for _, e := range all {
		e.Edit.shift = e.Shift
		edits = append(edits, e.Edit)
	}
	return edits, nil
}

// LastEdit returns the last edit of the field at a JSON pointer: of the field itself, of a parent, or of a field below
// it. It follows items of lists through insertions and removals before them. edits are the result of Apply for one
// object, and pointer refers to the resulting object. ok is false if no override changed the field.
func LastEdit(edits []Edit, pointer string) (last Edit, ok bool) {
	for i := len(edits) - 1; i >= 0; i-- {
		e := edits[i]
		if e.shift != 0 {
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

// follow returns the pointer of a list item as it was before e shifted the items of the list. same is false if e wrote
// the item itself, or if pointer is not in that list.
func (e Edit) follow(pointer string) (before string, same bool) {
	cut := strings.LastIndexByte(e.Path, '/') + 1
	rest, ok := strings.CutPrefix(pointer, e.Path[:cut])
	if !ok {
		return "", false
	}
	token, _, _ := strings.Cut(rest, "/")
	at, err := strconv.Atoi(e.Path[cut:])
	now, errNow := strconv.Atoi(token)
	if err != nil || errNow != nil || e.shift > 0 && now == at {
		return "", false
	}
	if now >= at {
		now -= int(e.shift)
	}
	return e.Path[:cut] + strconv.Itoa(now) + rest[len(token):], true
}

// within reports whether a JSON pointer is parent or below it.
func within(pointer, parent string) bool {
	rest, ok := strings.CutPrefix(pointer, parent)
	return ok && (rest == "" || rest[0] == '/')
}
