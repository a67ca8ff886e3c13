package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"
	"github.com/go-git/go-git/v5/storage/memory"
	"github.com/go-git/go-git/v5/storage/transactional"
)

// A change is one file with another text, and why.
type change struct {
	// file below the root of the work tree, with slashes.
	file string
	text []byte
	// subject is the first line of the message; body may be empty.
	subject, body string
}

// A proposal is a commit that is not in the repository yet: its objects are in memory.
type proposal struct {
	change
	history *history
	objects transactional.Storage
	head    *plumbing.Reference
	hash    plumbing.Hash
	message string
	diff    string
}

// propose makes the commit of a change, on top of HEAD and with nothing else in it.
func (h *history) propose(ctx context.Context, c change) (*proposal, error) {
	head, err := h.repo.Head()
	if errors.Is(err, plumbing.ErrReferenceNotFound) {
		return nil, errors.New("the repository has no commit yet: commit the manifests first")
	}
	if err != nil {
		return nil, fmt.Errorf("reading HEAD: %w", err)
	}
	parent, err := h.repo.CommitObject(head.Hash())
	if err != nil {
		return nil, fmt.Errorf("reading HEAD: %w", err)
	}
	before, err := parent.Tree()
	if err != nil {
		return nil, fmt.Errorf("reading the tree of HEAD: %w", err)
	}
	if err := h.unchanged(before, c.file); err != nil {
		return nil, err
	}
	p := &proposal{change: c, history: h, head: head, objects: transactional.NewStorage(h.repo.Storer, memory.NewStorage())}
	tree, err := p.tree(before)
	if err != nil {
		return nil, fmt.Errorf("preparing the commit: %w", err)
	}
	if err := p.sign(tree, head.Hash()); err != nil {
		return nil, err
	}
	return p, p.compare(ctx, before, tree)
}

// unchanged says that a file is in the work tree as it is in the commit.
func (h *history) unchanged(tree *object.Tree, file string) error {
	committed, err := tree.File(file)
	if errors.Is(err, object.ErrFileNotFound) {
		return fmt.Errorf("%s is not committed yet: commit it first", file)
	}
	if err != nil {
		return fmt.Errorf("reading %s of HEAD: %w", file, err)
	}
	was, err := committed.Contents()
	if err != nil {
		return fmt.Errorf("reading %s of HEAD: %w", file, err)
	}
	is, err := os.ReadFile(filepath.Join(h.root, filepath.FromSlash(file)))
	if err != nil {
		return fmt.Errorf("reading the manifest: %w", err)
	}
	if was != string(is) {
		return fmt.Errorf("%s has changes that are not committed: commit or undo them first", file)
	}
	return nil
}

// tree is the one of HEAD with the new text in it.
func (p *proposal) tree(before *object.Tree) (plumbing.Hash, error) {
	blob := p.objects.NewEncodedObject()
	blob.SetType(plumbing.BlobObject)
	w, err := blob.Writer()
	if err != nil {
		return plumbing.ZeroHash, err
	}
	if _, err := w.Write(p.text); err != nil {
		return plumbing.ZeroHash, err
	}
	if err := w.Close(); err != nil {
		return plumbing.ZeroHash, err
	}
	hash, err := p.objects.SetEncodedObject(blob)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	return p.within(before, strings.Split(p.file, "/"), hash)
}

// within is a tree with another blob at path.
func (p *proposal) within(tree *object.Tree, path []string, blob plumbing.Hash) (plumbing.Hash, error) {
	made := &object.Tree{Entries: slices.Clone(tree.Entries)}
	i := slices.IndexFunc(made.Entries, func(e object.TreeEntry) bool { return e.Name == path[0] })
	if i < 0 {
		return plumbing.ZeroHash, fmt.Errorf("%s: %w", path[0], object.ErrEntryNotFound)
	}
	entry := &made.Entries[i]
	entry.Hash = blob
	if entry.Mode == filemode.Dir {
		below, err := object.GetTree(p.objects, tree.Entries[i].Hash)
		if err != nil {
			return plumbing.ZeroHash, err
		}
		if entry.Hash, err = p.within(below, path[1:], blob); err != nil {
			return plumbing.ZeroHash, err
		}
	}
	return store(p.objects, made)
}

// store writes a tree or a commit.
func store(to storer.EncodedObjectStorer, o interface {
	Encode(plumbing.EncodedObject) error
}) (plumbing.Hash, error) {
	encoded := to.NewEncodedObject()
	if err := o.Encode(encoded); err != nil {
		return plumbing.ZeroHash, err
	}
	return to.SetEncodedObject(encoded)
}

// sign names the author, who is whoever git's configuration says.
func (p *proposal) sign(tree, parent plumbing.Hash) error {
	repo, err := git.PlainOpenWithOptions(p.history.root, &git.PlainOpenOptions{EnableDotGitCommonDir: true})
	if err != nil {
		return fmt.Errorf("opening the Git repository: %w", err)
	}
	if signs(repo) {
		return errors.New("commits are to be signed here (commit.gpgsign), which accord cannot: take --dry-run | git apply, and commit it")
	}
	who := git.CommitOptions{}
	if err := who.Validate(repo); errors.Is(err, git.ErrMissingAuthor) {
		return errors.New(`nobody would be the author: git config --global user.name "..." and user.email "..."`)
	} else if err != nil {
		return fmt.Errorf("finding the author: %w", err)
	}
	p.message = strings.Join(strings.Fields(p.subject), " ") + "\n"
	if p.body != "" {
		p.message += "\n" + p.body + "\n"
	}
	commit := &object.Commit{Author: *who.Author, Committer: *who.Committer, Message: p.message, TreeHash: tree, ParentHashes: []plumbing.Hash{parent}}
	if p.hash, err = store(p.objects, commit); err != nil {
		return fmt.Errorf("preparing the commit: %w", err)
	}
	return nil
}

// signs says that git's configuration asks for signed commits: that of the repository, else of the user, else of the machine.
func signs(repo *git.Repository) bool {
	var said []string
	if own, err := repo.Config(); err == nil {
		said = append(said, own.Raw.Section("commit").Option("gpgsign"))
	}
	for _, scope := range []config.Scope{config.GlobalScope, config.SystemScope} {
		if settings, err := config.LoadConfig(scope); err == nil {
			said = append(said, settings.Raw.Section("commit").Option("gpgsign"))
		}
	}
	return strings.EqualFold(cmp.Or(said...), "true")
}

// compare makes the patch.
func (p *proposal) compare(ctx context.Context, before *object.Tree, tree plumbing.Hash) error {
	after, err := object.GetTree(p.objects, tree)
	if err != nil {
		return fmt.Errorf("comparing with HEAD: %w", err)
	}
	patch, err := before.PatchContext(ctx, after)
	if err != nil {
		return fmt.Errorf("comparing with HEAD: %w", err)
	}
	if p.diff = patch.String(); p.diff == "" {
		return fmt.Errorf("%s says so already", p.file)
	}
	return nil
}

// branch that the commit is for; empty when HEAD is detached.
func (p *proposal) branch() string {
	if !p.head.Name().IsBranch() {
		return ""
	}
	return p.head.Name().Short()
}

// commit writes the file, the objects, the branch and the entry of the index.
func (p *proposal) commit() error {
	name := filepath.Join(p.history.root, filepath.FromSlash(p.file))
	if err := os.WriteFile(name, p.text, 0o644); err != nil { // it is there, so that it keeps its mode
		return fmt.Errorf("writing the manifest: %w", err)
	}
	base := p.history.repo.Storer
	err := p.objects.Commit()
	if err == nil {
		err = base.CheckAndSetReference(plumbing.NewHashReference(p.head.Name(), p.hash), p.head)
	}
	if err != nil {
		return fmt.Errorf("%s is edited; committing it failed: %w", p.file, err)
	}
	repo, err := git.PlainOpenWithOptions(p.history.root, &git.PlainOpenOptions{EnableDotGitCommonDir: true})
	if err != nil {
		return fmt.Errorf("opening the Git repository: %w", err)
	}
	tree, err := repo.Worktree()
	if err == nil {
		err = tree.AddWithOptions(&git.AddOptions{Path: p.file, SkipStatus: true})
	}
	if err != nil {
		return fmt.Errorf("the commit is made; telling the index of it failed (git status shows it): %w", err)
	}
	return nil
}
