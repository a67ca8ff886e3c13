// Package hunk compares two versions of one object for a reviewer. Hunks have a path with values before and after, in
// the order of fields in a manifest. Items of lists are named by their keys, and values of Secrets are hidden. The
// package also determines the consequences of a change: restarted pods, and immutable fields that the API server
// refuses to change.
package hunk

// Op is the kind of difference.
type Op string

const (
	Add     Op = "add"
	Remove  Op = "remove"
	Replace Op = "replace"
	// Move is a list in another order. Before and After are the names of its items, or the items if they have no names.
	// Other differences of the items have hunks of their own.
	Move Op = "move"
)

// Hunk is one value that differs.
type Hunk struct {
	// Path locates the value: spec.template.spec.containers[app].image. Items of lists have the name that their list
	// keys give, or else their index: the index before for Remove, the index after for other operations. Keys and names
	// that are not plain words are quoted: metadata.annotations["a.b/c"]. The path of a whole object is "".
	Path string
	Op   Op
	// Before and After are YAML without a trailing newline. They are "" if there is no such value, and if Text is set.
	Before, After string
	// Text is the unified diff of a string of several lines, with two lines of context and no file names. Only Replace
	// sets it.
	Text string
	// Secret reports that the value, or a part of it, is hidden. A Fingerprint replaces it. Without a key, a value that
	// is secret as a whole is "", and a secret part is Hidden.
	Secret bool
}

// Hidden replaces a secret part of a value if there is no key for a fingerprint.
const Hidden = "(hidden)"

// Options configure Compare. The zero value is ready to use.
type Options struct {
	// Key is the HMAC-SHA256 key of fingerprints. Without a key, hunks only show that secrets changed.
	Key []byte
	// Limit is the maximum length in characters of Before, After and Text; longer texts are cut and end with a note. 0
	// is 2,000.
	Limit int
}

// defaultLimit is about 40 lines.
const defaultLimit = 2000
