package source

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
	"github.com/go-git/go-git/v5/plumbing"
)

// Ref selects a commit: at most one of Tag, SemVer and Commit may be set. The zero Ref selects the head of the
// remote's default branch.
type Ref struct {
	// Branch alone selects its newest commit. With Commit it names the branch to search if the server does not serve
	// commits by hash; otherwise accord does not check that the commit is on the branch.
	Branch string
	Tag    string
	// SemVer is a range such as ">=1.2.0 <2" and selects the tag with the highest version in it. Tags match with and
	// without a leading v and need all three numbers; pre-releases match only if the range names one. Among equal
	// versions the last tag by name wins.
	SemVer string
	Commit string // 40 hex
}

// String returns "branch main", "tag v1.2.3" and so on, as errors name it.
func (r Ref) String() string {
	switch {
	case r.Commit != "":
		return fmt.Sprintf("commit %q", r.Commit)
	case r.SemVer != "":
		return fmt.Sprintf("semver %q", r.SemVer)
	case r.Tag != "":
		return fmt.Sprintf("tag %q", r.Tag)
	case r.Branch != "":
		return fmt.Sprintf("branch %q", r.Branch)
	}
	return "the default branch"
}

func (r Ref) validate() error {
	set := 0
	for _, s := range []string{r.Tag, r.SemVer, r.Commit} {
		if s != "" {
			set++
		}
	}
	if set > 1 || r.Branch != "" && (r.Tag != "" || r.SemVer != "") {
		return fmt.Errorf("%w: only one of branch, tag, semver and commit may be given, or branch with commit", ErrInvalid)
	}
	if r.Commit != "" && !isHash(r.Commit) {
		return fmt.Errorf("%w: commit %q does not have 40 hex digits", ErrInvalid, r.Commit)
	}
	if r.SemVer != "" {
		if _, err := semver.NewConstraint(r.SemVer); err != nil {
			return fmt.Errorf("%w: semver range %q: %w", ErrInvalid, r.SemVer, err)
		}
	}
	return nil
}

// refs holds the advertised refs of a repository.
type refs struct {
	branches map[string]plumbing.Hash
	tags     map[string]plumbing.Hash // the tagged object, perhaps a tag object
	peeled   map[string]plumbing.Hash // the commit behind a tag object, if advertised
	head     plumbing.Hash
	headName string // "main", or "HEAD" if HEAD is detached
}

// target is the commit that a Ref selects now.
type target struct {
	pointer string        // in the revision
	want    plumbing.Hash // requested from the remote
	commit  plumbing.Hash // behind want; differs only for tag objects

	// history lists the tips to search if the remote does not serve want by hash. It is empty if the remote
	// advertised want.
	history []plumbing.Hash
}

func (r Ref) resolve(have refs) (target, error) {
	switch {
	case r.Commit != "":
		return r.resolveCommit(have)
	case r.SemVer != "":
		return r.resolveSemVer(have)
	case r.Tag != "":
		return resolveTag(r.Tag, have)
	case r.Branch != "":
		return resolveBranch(r.Branch, have)
	case have.head.IsZero():
		return target{}, withKind(ErrRefNotFound, "the default branch does not exist%s", list("branches", have.branches))
	}
	return target{pointer: have.headName, want: have.head, commit: have.head}, nil
}

func resolveBranch(name string, have refs) (target, error) {
	hash, ok := have.branches[name]
	if ok {
		return target{pointer: name, want: hash, commit: hash}, nil
	}
	hint := suggest(name, "branches", have.branches)
	if _, isTag := have.tags[name]; isTag {
		hint = "; there is a tag of that name"
	}
	return target{}, withKind(ErrRefNotFound, "branch %q not found%s", name, hint)
}

func resolveTag(name string, have refs) (target, error) {
	hash, ok := have.tags[name]
	if !ok {
		hint := suggest(name, "tags", have.tags)
		if _, isBranch := have.branches[name]; isBranch {
			hint = "; there is a branch of that name"
		}
		return target{}, withKind(ErrRefNotFound, "tag %q not found%s", name, hint)
	}
	commit, annotated := have.peeled[name]
	if !annotated {
		commit = hash
	}
	return target{pointer: name, want: hash, commit: commit}, nil
}

func (r Ref) resolveSemVer(have refs) (target, error) {
	within, err := semver.NewConstraint(r.SemVer)
	if err != nil {
		return target{}, fmt.Errorf("%w: semver range %q: %w", ErrInvalid, r.SemVer, err)
	}
	var best, highest *semver.Version
	var tag, highestTag string
	for _, name := range slices.Sorted(maps.Keys(have.tags)) {
		v, err := semver.StrictNewVersion(strings.TrimPrefix(name, "v"))
		if err != nil {
			continue // tags that are not versions are allowed
		}
		if highest == nil || !v.LessThan(highest) {
			highest, highestTag = v, name
		}
		if within.Check(v) && (best == nil || !v.LessThan(best)) {
			best, tag = v, name
		}
	}
	switch {
	case best != nil:
		return resolveTag(tag, have)
	case highest != nil:
		return target{}, withKind(ErrRefNotFound, "no tag is within semver range %q; the highest version is %q", r.SemVer, highestTag)
	}
	return target{}, withKind(ErrRefNotFound, "no tag is within semver range %q: none of the %d tags is a version", r.SemVer, len(have.tags))
}

func (r Ref) resolveCommit(have refs) (target, error) {
	hash := plumbing.NewHash(r.Commit)
	t := target{pointer: r.Branch, want: hash, commit: hash}
	if r.Branch != "" {
		tip, err := resolveBranch(r.Branch, have)
		if err != nil {
			return target{}, err
		}
		t.history = []plumbing.Hash{tip.want}
	} else {
		tips := slices.Concat(slices.Collect(maps.Values(have.branches)), slices.Collect(maps.Values(have.tags)))
		plumbing.HashesSort(tips)
		t.history = slices.Compact(tips)
	}
	if have.head == hash || slices.Contains(t.history, hash) {
		t.history = nil
	}
	return t, nil
}
