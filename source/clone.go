package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/plumbing/storer"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// maxCommits is how many commits a clone collects before it is made again. That
// bounds what old ones take up.
const maxCommits = 32

// A clone is a bare repository of a few commits without their parents. Each
// commit that is there with all its files has a ref, set last: what a fetch left
// half done has none, and is nothing one could rely on.
type clone struct {
	dir   string
	store *filesystem.Storage
}

const keep = "refs/accord/"

func openClone(dir string) *clone {
	return &clone{dir: dir, store: filesystem.NewStorageWithOptions(
		osfs.New(dir, osfs.WithBoundOS()),
		cache.NewObjectLRU(16*cache.MiByte),
		filesystem.Options{KeepDescriptors: true},
	)}
}

// newClone makes an empty one. Its HEAD and config are for people who look into
// it with git.
func newClone(dir string) (*clone, error) {
	c := openClone(dir)
	if err := c.store.Init(); err != nil {
		return nil, fmt.Errorf("make clone: %w", err)
	}
	head := plumbing.NewSymbolicReference(plumbing.HEAD, plumbing.Main)
	if err := c.store.SetReference(head); err != nil {
		return nil, fmt.Errorf("make clone: %w", err)
	}
	config := "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
	if err := os.WriteFile(filepath.Join(dir, "config"), []byte(config), 0o600); err != nil {
		return nil, fmt.Errorf("make clone: %w", err)
	}
	return c, nil
}

func (c *clone) close() { c.store.Close() }

// commits lists those that are there with all their files.
func (c *clone) commits() ([]plumbing.Hash, error) {
	iter, err := c.store.IterReferences()
	if err != nil {
		return nil, fmt.Errorf("%w: read refs: %v", errDamaged, err)
	}
	var found []plumbing.Hash
	err = iter.ForEach(func(ref *plumbing.Reference) error {
		if strings.HasPrefix(ref.Name().String(), keep) {
			found = append(found, ref.Hash())
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%w: read refs: %v", errDamaged, err)
	}
	return found, nil
}

// fetch downloads a commit on top of what is there. It is errUnused if that is
// enough already; errors of this side are errDamaged, all others the remote's.
func (c *clone) fetch(ctx context.Context, talk *talk, t target, l limits) error {
	haves, err := c.commits()
	if err != nil {
		return err
	}
	if len(haves) >= maxCommits {
		return fmt.Errorf("%w: it holds %d commits", errUnused, len(haves))
	}
	shallows, err := c.store.Shallow()
	if err != nil {
		return fmt.Errorf("%w: read shallow: %v", errDamaged, err)
	}
	return c.receive(ctx, talk, wish{wants: []plumbing.Hash{t.want}, haves: haves, shallows: shallows}, l)
}

func (c *clone) receive(ctx context.Context, talk *talk, w wish, l limits) (err error) {
	answer, pack, err := talk.pack(ctx, w)
	if err != nil {
		return err
	}
	defer answer.Close()
	defer func() {
		if p := recover(); p != nil { // go-git on a pack that makes no sense
			err = fmt.Errorf("%w: %v", errDamaged, p)
		}
	}()
	shallows := slices.DeleteFunc(slices.Concat(w.shallows, answer.Shallows), func(h plumbing.Hash) bool {
		return slices.Contains(answer.Unshallows, h)
	})
	plumbing.HashesSort(shallows)
	if err := c.store.SetShallow(slices.Compact(shallows)); err != nil {
		return fmt.Errorf("%w: write shallow: %v", errDamaged, err)
	}
	in := &bounded{from: pack, left: l.download()}
	spooled, err := c.spool(in)
	if in.err != nil {
		return in.err
	}
	if err != nil {
		return fmt.Errorf("%w: write pack: %w", errDamaged, err)
	}
	defer func() { _ = discard(spooled) }() // sweep removes what this cannot
	if err := inspect(ctx, spooled, l); err != nil {
		return err
	}
	if len(w.haves) == 0 {
		err = packfile.UpdateObjectStorage(c.store, spooled)
	} else {
		err = c.unpack(struct{ io.Reader }{spooled})
	}
	if err != nil {
		return fmt.Errorf("%w: write pack: %w", errDamaged, err)
	}
	c.store.Reindex()
	return nil
}

// unpack writes the objects of a pack one by one. A pack on top of what is here
// is thin: it has differences to objects that are not in it, so that it cannot
// be kept as it is.
func (c *clone) unpack(pack io.Reader) error {
	// Only the interface: the storage's own way to write keeps each file open
	// until the last one is there.
	into := struct{ storer.EncodedObjectStorer }{c.store}
	parser, err := packfile.NewParserWithStorage(packfile.NewScanner(pack), into)
	if err != nil {
		return err
	}
	_, err = parser.Parse()
	return err
}

func (c *clone) mark(commit plumbing.Hash) error {
	ref := plumbing.NewHashReference(plumbing.ReferenceName(keep+commit.String()), commit)
	if err := c.store.SetReference(ref); err != nil {
		return fmt.Errorf("%w: mark commit: %w", errDamaged, err)
	}
	return nil
}

// bounded limits what is read from the remote, and keeps its errors apart from
// those of writing it down.
type bounded struct {
	from io.Reader
	left int64
	err  error
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		b.err = fmt.Errorf("%w: the download is above eight times the limit for a tree", ErrTooLarge)
		return 0, b.err
	}
	n, err := b.from.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		b.err = fmt.Errorf("%w: download: %w", ErrUnreachable, err)
		if kindOf(err) != nil {
			b.err = err
		}
	}
	return n, err
}
