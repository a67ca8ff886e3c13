package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"
	"github.com/go-git/go-git/v5/storage/filesystem"

	"github.com/accord-dev/accord/internal/phrase"
)

// commit is a complete, verified commit in memory. It is immutable.
type commit struct {
	hash          plumbing.Hash
	root          *dir
	time          time.Time
	by, committer Identity
	message       string
	raw           []byte // the object, as it was signed
	fileLimit     int64
}

func (c *commit) subject() string {
	first, _, _ := strings.Cut(strings.TrimSpace(c.message), "\n")
	return line(strings.TrimSpace(first))
}

// line makes untrusted text safe to store and print: one line without control characters, shortened.
func line(text string) string {
	text = phrase.Line(text)
	if len(text) > maxLine {
		text = strings.ToValidUTF8(text[:maxLine], "") + "..."
	}
	return text
}

// Bounds on everything except the content of files.
const (
	maxDepth    = 256       // nested directories
	maxTarget   = 4096      // bytes in a symbolic link
	maxName     = 255       // bytes in a file name, as on Linux
	maxLine     = 400       // bytes in the author and in the subject of a commit
	maxMeta     = 8 << 20   // bytes in one commit, tag or tree object
	maxTag      = 256 << 10 // bytes in a tag object that is kept
	entryItself = 64        // bytes counted for an entry in addition to its name and content
)

// errDamaged means that the object store lacks objects or holds wrong ones.
var errDamaged = errors.New("the object store is damaged")

// loader reads one commit from an object store. It reuses directories and files that another commit with the same
// file limit has in memory under the same path, so the next commit costs only its differences.
type loader struct {
	ctx    context.Context
	store  storer.EncodedObjectStorer
	limits limits
	known  []*dir // the roots of other commits, the newest first
	dirs   map[plumbing.Hash]*dir
	files  map[plumbing.Hash]*file
	empty  []*file // to be read
	later  *later  // reads files that are no links; nil to read them at once
	links  map[plumbing.Hash]bool
	// loose has the tree objects that are files; nil to look for none, which pays if only a few objects are to be read.
	loose *looseReader
}

func newLoader(ctx context.Context, store storer.EncodedObjectStorer, limits limits, known []*commit) *loader {
	l := &loader{ctx: ctx, store: store, limits: limits,
		dirs: map[plumbing.Hash]*dir{}, files: map[plumbing.Hash]*file{}}
	for _, c := range slices.Backward(known) {
		if c.fileLimit == limits.file {
			l.known = append(l.known, c.root)
		}
	}
	if repository, is := store.(*filesystem.Storage); is && len(l.known) > 0 {
		l.loose = newLooseReader(repository.Filesystem())
	}
	return l
}

// reuse makes the loader read with the memory of an earlier one, which may be nil, if it needs it, and returns what the next loader uses.
func (l *loader) reuse(earlier *looseReader) *looseReader {
	if l.loose == nil || earlier == nil {
		return cmp.Or(l.loose, earlier)
	}
	earlier.repository = l.loose.repository
	l.loose = earlier
	return earlier
}

// load reads a commit. It returns ErrTooLarge, ErrRefNotFound if hash is not a commit, the context's error,
// plumbing.ErrObjectNotFound if hash does not exist, and otherwise errDamaged.
func (l *loader) load(hash plumbing.Hash) (c *commit, err error) {
	defer func() { // go-git trusts packs and may index out of range on damaged ones
		if p := recover(); p != nil {
			c, err = nil, fmt.Errorf("%w: %v", errDamaged, p)
		}
	}()
	var about object.Commit
	raw, err := l.decode(hash, plumbing.CommitObject, &about)
	if errors.Is(err, errOtherType) {
		return nil, withKind(ErrRefNotFound, "object %s is not a commit", hash)
	}
	if err != nil {
		return nil, err
	}
	root, err := l.dir(about.TreeHash, l.known, 0)
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		return nil, fmt.Errorf("%w: %v", errDamaged, err)
	}
	if err != nil {
		return nil, err
	}
	if err := l.limits.check(hash, root); err != nil {
		return nil, err
	}
	if err := l.fill(); err != nil {
		return nil, err
	}
	return &commit{
		hash:      hash,
		root:      root,
		time:      about.Committer.When.UTC(),
		by:        Identity{line(about.Author.Name), line(about.Author.Email)},
		committer: Identity{line(about.Committer.Name), line(about.Committer.Email)},
		message:   strings.ToValidUTF8(about.Message, "?"),
		raw:       raw,
		fileLimit: l.limits.file,
	}, nil
}

// tag returns a tag object; nil if hash is another object, or a tag that is too large to be kept.
func (l *loader) tag(hash plumbing.Hash) (object []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			object, err = nil, fmt.Errorf("%w: %v", errDamaged, p)
		}
	}()
	object, err = l.read(hash, plumbing.TagObject, maxTag)
	if errors.Is(err, errOtherType) || errors.Is(err, ErrTooLarge) {
		return nil, nil
	}
	return object, err
}

// peel follows tag objects to the tagged object.
func (l *loader) peel(hash plumbing.Hash) (plumbing.Hash, error) {
	for range maxDepth {
		var tag object.Tag
		_, err := l.decode(hash, plumbing.TagObject, &tag)
		if errors.Is(err, errOtherType) {
			return hash, nil
		}
		if err != nil {
			return plumbing.ZeroHash, err
		}
		hash = tag.Target
	}
	return plumbing.ZeroHash, withKind(ErrRefNotFound, "tag %s leads through more than %d tags", hash, maxDepth)
}

// file reads a file's size; fill reads its content.
func (l *loader) file(hash plumbing.Hash, limit int64) (*file, error) {
	if f := l.files[hash]; f != nil {
		return f, nil
	}
	if err := l.ctx.Err(); err != nil {
		return nil, err
	}
	size, err := l.size(hash)
	if err != nil {
		return nil, fmt.Errorf("%w: file %s: %v", errDamaged, hash, err)
	}
	f := &file{hash: hash, size: size}
	if size <= limit {
		l.empty = append(l.empty, f)
	}
	l.files[hash] = f
	return f, nil
}

func (l *loader) size(hash plumbing.Hash) (int64, error) {
	size, err := l.store.EncodedObjectSize(hash)
	if !errors.Is(err, plumbing.ErrObjectNotFound) {
		return size, err
	}
	found, err := l.store.EncodedObject(plumbing.BlobObject, hash) // it also looks into alternates
	if err != nil {
		return 0, err
	}
	return found.Size(), nil
}

func (l *loader) fill() error {
	for _, f := range l.empty {
		if l.later != nil && !l.links[f.hash] {
			f.later, f.held = l.later, true
			continue
		}
		content, err := l.read(f.hash, plumbing.BlobObject, f.size)
		if err != nil {
			return err
		}
		f.content, f.held = content, true
	}
	l.empty = nil
	return nil
}

// errOtherType means that the object has another type than expected.
var errOtherType = fmt.Errorf("%w: object is of another type", errDamaged)

type decoder interface {
	Decode(plumbing.EncodedObject) error
}

// decode reads a commit or tag, and returns its content. It returns plumbing.ErrObjectNotFound if there is no such object.
func (l *loader) decode(hash plumbing.Hash, kind plumbing.ObjectType, into decoder) ([]byte, error) {
	content, err := l.read(hash, kind, maxMeta)
	if err != nil {
		return nil, err
	}
	checked := &plumbing.MemoryObject{}
	checked.SetType(kind)
	if _, err := checked.Write(content); err != nil {
		return nil, fmt.Errorf("decode %s %s: %w", kind, hash, err)
	}
	if err := into.Decode(checked); err != nil {
		return nil, fmt.Errorf("%w: %s %s: %v", errDamaged, kind, hash, err)
	}
	return content, nil
}

// tree returns the content of a tree object and verifies it against the hash. The caller releases it.
func (l *loader) tree(hash plumbing.Hash) (content []byte, release func(), err error) {
	if err := l.ctx.Err(); err != nil {
		return nil, nil, err
	}
	if l.loose != nil {
		if content, is := l.loose.tree(hash); is {
			return content, func() { l.loose.release(content) }, nil
		}
	}
	content, err = l.read(hash, plumbing.TreeObject, maxMeta)
	return content, func() {}, err
}

// read returns an object's content and verifies it against the hash.
func (l *loader) read(hash plumbing.Hash, kind plumbing.ObjectType, limit int64) ([]byte, error) {
	if err := l.ctx.Err(); err != nil {
		return nil, err
	}
	found, err := l.store.EncodedObject(plumbing.AnyObject, hash)
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		return nil, fmt.Errorf("%s %s: %w", kind, hash, plumbing.ErrObjectNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s %s: %v", errDamaged, kind, hash, err)
	}
	if found.Type() != kind {
		return nil, fmt.Errorf("%w: %s is a %s, not a %s", errOtherType, hash, found.Type(), kind)
	}
	if found.Size() > limit {
		return nil, fmt.Errorf("%w: %s %s has %s, the limit is %s", ErrTooLarge, kind, hash, bytesOf(found.Size()), bytesOf(limit))
	}
	r, err := found.Reader()
	if err != nil {
		return nil, fmt.Errorf("%w: %s %s: %v", errDamaged, kind, hash, err)
	}
	defer r.Close()
	content := make([]byte, found.Size())
	if _, err := io.ReadFull(r, content); err != nil {
		return nil, fmt.Errorf("%w: %s %s: %v", errDamaged, kind, hash, err)
	}
	if hashOf(found, content) != hash {
		return nil, fmt.Errorf("%w: %s %s does not match its hash", errDamaged, kind, hash)
	}
	return content, nil
}

// hashOf returns the hash of an object with this content. An object in memory has computed the hash of its content, as a cache of objects
// asks for it; others return the hash by which they were found.
func hashOf(found plumbing.EncodedObject, content []byte) plumbing.Hash {
	if memory, is := found.(*plumbing.MemoryObject); is {
		return memory.Hash()
	}
	return plumbing.ComputeHash(found.Type(), content)
}
