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
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// maxCommits bounds how many commits a clone collects before it is recreated, and thus the disk space of old ones.
const maxCommits = 32

// A clone is a bare repository with a few commits without their parents. Each complete commit has a ref, which is set
// last: a commit that an interrupted fetch left has none and is not used.
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

// newClone creates an empty clone. HEAD and config let git read it.
func newClone(dir string) (*clone, error) {
	c := openClone(dir)
	if err := c.store.Init(); err != nil {
		return nil, fmt.Errorf("create clone: %w", err)
	}
	head := plumbing.NewSymbolicReference(plumbing.HEAD, plumbing.Main)
	if err := c.store.SetReference(head); err != nil {
		return nil, fmt.Errorf("create clone: %w", err)
	}
	config := "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
	if err := os.WriteFile(filepath.Join(dir, "config"), []byte(config), 0o600); err != nil {
		return nil, fmt.Errorf("create clone: %w", err)
	}
	return c, nil
}

func (c *clone) close() { c.store.Close() }

// commits returns the complete commits.
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

// fetch downloads a commit into the clone. It returns errUnused if the clone is full, errDamaged if the clone is
// broken, and the errors of the remote.
func (c *clone) fetch(ctx context.Context, conn *connection, t target, l limits) error {
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
	return c.receive(ctx, conn, packRequest{wants: []plumbing.Hash{t.want}, haves: haves, shallows: shallows}, l)
}

func (c *clone) receive(ctx context.Context, conn *connection, w packRequest, l limits) (err error) {
	answer, pack, err := conn.pack(ctx, w)
	if err != nil {
		return err
	}
	defer answer.Close()
	defer func() {
		if p := recover(); p != nil { // go-git panics on malformed packs
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
	defer func() { _ = discard(spooled) }() // sweep removes leftovers
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

// unpack writes the objects of a pack one by one. A pack that extends the clone is thin: it contains deltas against
// objects outside the pack, so the pack file itself cannot be kept.
func (c *clone) unpack(pack io.Reader) error {
	parser, err := packfile.NewParserWithStorage(packfile.NewScanner(pack), looseTrees{c.store, c.dir})
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

// bounded limits the bytes read from the remote and keeps read errors apart from write errors.
type bounded struct {
	from io.Reader
	left int64
	err  error
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		b.err = fmt.Errorf("%w: the download exceeds eight times the limit for a tree", ErrTooLarge)
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
