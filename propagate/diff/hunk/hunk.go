// Package hunk says how one object differs from another as people read it: paths with before and after, in the order in
// which the YAML is read, lists by what their items are called, and no value of a Secret. And it says what a change costs
// beyond the change itself: pods that restart, fields that the API server refuses to change.
package hunk

// Op is what happens to a value.
type Op string

const (
	Add     Op = "add"
	Remove  Op = "remove"
	Replace Op = "replace"
	// Move is a list of which the order changed; Before and After are the names of its items, or the items if they
	// have none. What else changed in the items stands in hunks of their own.
	Move Op = "move"
)

// Hunk is one value that differs.
type Hunk struct {
	// Path is where: spec.template.spec.containers[app].image. Items of lists are named by the key that identifies them
	// in Kubernetes, and by their index if there is none: the one before for Remove, the one after for the rest. What is
	// no plain word is quoted: metadata.annotations["a.b/c"]. It is empty for the object as a whole.
	Path string
	Op   Op
	// Before and After are the YAML of the value without a newline at the end; empty where there is none, and both empty
	// when Text says it all.
	Before, After string
	// Text is the unified diff of a string of several lines, with two lines around each change and without file names.
	// Only Replace has one.
	Text string
	// Secret says that the value, or a part of it, is not shown: in its place stands a Fingerprint, and with no key
	// nothing at all if the value is a whole secret, Hidden if it is a part.
	Secret bool
}

// Hidden stands for a part of a value that is not shown and cannot be fingerprinted, as there is no key.
const Hidden = "(hidden)"

// Options of Compare. The zero value is ready to use.
type Options struct {
	// Key is of the HMAC-SHA256 that makes fingerprints. Without one secrets only say that they changed.
	Key []byte
	// Limit is how many characters of Before, After and Text are shown; what is left out is said behind them. 0: 2,000.
	Limit int
}

// defaultLimit is some 40 lines: more than that is not read in a review.
const defaultLimit = 2000
