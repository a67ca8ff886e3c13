package render

import (
	"fmt"
)

// Budget counts the objects and the bytes of the manifests of several builds against limits. The nil Budget has no limits. It is not
// safe for concurrent builds.
type Budget struct {
	maxObjects, objects int
	maxBytes, bytes     int64
	// ledger is set if added has all that was added.
	ledger bool
	added  []addition
}

// addition is one call of add, or all calls of a build that looked at the changed files only.
type addition struct {
	file    string
	objects int
	bytes   int64
	// each returns the calls of the whole build; nil for one call.
	each func() []addition
}

// NewBudget returns a budget. A limit of 0 is no limit.
func NewBudget(objects int, bytes int64) *Budget {
	return &Budget{maxObjects: objects, maxBytes: bytes}
}

// NewLedger returns a budget without limits that records what each file adds.
func NewLedger() *Budget { return &Budget{ledger: true} }

// Within returns the *LimitError of builds with these limits, for the builds that a ledger recorded.
func (b *Budget) Within(objects int, bytes int64) error {
	if b == nil {
		return nil
	}
	if NewBudget(objects, bytes).addAll(b.added) == nil {
		return nil
	}
	var all []addition // which file exceeds the limit depends on each
	for _, a := range b.added {
		if a.each != nil {
			all = append(all, a.each()...)
		} else {
			all = append(all, a)
		}
	}
	return NewBudget(objects, bytes).addAll(all)
}

func (b *Budget) addAll(all []addition) error {
	for _, a := range all {
		if err := b.add(a.file, a.objects, a.bytes); err != nil {
			return err
		}
	}
	return nil
}

// LimitError is the error of manifests that exceed a Budget.
type LimitError struct {
	// Unit is "objects" or "bytes", Most the limit.
	Unit string
	Most int64
	// File is the file or directory that exceeds it.
	File string
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("%s: the manifests up to this file have more than %d %s", e.File, e.Most, e.Unit)
}

// add counts objects and bytes of a file, and returns a *LimitError if a limit is exceeded.
func (b *Budget) add(file string, objects int, bytes int64) error {
	if b == nil {
		return nil
	}
	if b.ledger {
		b.added = append(b.added, addition{file: file, objects: objects, bytes: bytes})
	}
	b.objects, b.bytes = b.objects+objects, b.bytes+bytes
	switch {
	case b.maxObjects > 0 && b.objects > b.maxObjects:
		return &LimitError{"objects", int64(b.maxObjects), file}
	case b.maxBytes > 0 && b.bytes > b.maxBytes:
		return &LimitError{"bytes", b.maxBytes, file}
	}
	return nil
}

// addFiles counts the bytes of files before any of them is read.
func (b *Budget) addFiles(files []manifestFile) error {
	if b == nil {
		return nil
	}
	for _, f := range files {
		if f.info == nil {
			continue // reading it reports the error
		}
		if err := b.add(f.name, 0, f.info.Size()); err != nil {
			return err
		}
	}
	return nil
}

// fits returns a *LimitError if the documents of a file are more objects than the budget has left.
func (b *Budget) fits(file string, documents int) error {
	if b == nil || b.maxObjects == 0 || documents <= b.maxObjects-b.objects {
		return nil
	}
	return &LimitError{"objects", int64(b.maxObjects), file}
}
