package manifest

import (
	"slices"
	"strings"
)

// Mistake is a value in a manifest that an API server rejects.
type Mistake struct {
	// Path of its field. The step of a list entry is its index in brackets: "spec", "containers", "[0]", "image".
	Path    []string
	Message string // names the field, the rule and the fix
}

// Field returns the path as it is written in sentences and in Lines: "spec.containers[0].image".
func (m Mistake) Field() string { return strings.ReplaceAll(strings.Join(m.Path, "."), ".[", "[") }

// At returns the mistake as an error at its line. text is the YAML document of the manifest; without it the error has the
// line of the manifest.
func (m Mistake) At(origin Origin, text []byte) *Error {
	return &Error{Origin: LinesOf(text, origin.Line).At(origin, m.Field()), Message: m.Message}
}

// Below returns the mistake of an object that is a part of another one, at a path there.
func (m Mistake) Below(path ...string) Mistake {
	below := Mistake{Path: slices.Concat(path, m.Path)}
	below.Message = strings.Replace(m.Message, m.Field(), below.Field(), 1)
	return below
}
