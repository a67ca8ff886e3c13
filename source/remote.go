package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/pktline"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
	"github.com/go-git/go-git/v5/plumbing/transport"
)

// session is one conversation in Git's protocol; go-git's for HTTP, ours for SSH.
type session = transport.UploadPackSession

// remote is a repository elsewhere, as one caller may see it.
type remote struct {
	open func(context.Context) (session, error)
}

func (c *Cache) remote(at address, auth *Auth) (*remote, error) {
	if at.endpoint.Protocol == "ssh" {
		return remoteSSH(at, auth)
	}
	return c.remoteHTTP(at, auth)
}

// talk is a session that has begun: the remote accepted the caller and said what
// it has. One pack can be asked for, then it is over.
type talk struct {
	session session
	said    *packp.AdvRefs
}

func (r *remote) ask(ctx context.Context) (*talk, error) {
	session, err := r.open(ctx)
	if err != nil {
		return nil, err
	}
	said, err := session.AdvertisedReferencesContext(ctx)
	if err != nil {
		session.Close()
		return nil, notGit(err)
	}
	return &talk{session, said}, nil
}

// notGit gives a kind to an answer that is none of Git's.
func notGit(err error) error {
	switch {
	case strings.Contains(err.Error(), "object-format=sha256"):
		return because(ErrNotRepository, "a repository with SHA-256 object names, which are not supported")
	case errors.Is(err, transport.ErrEmptyRemoteRepository):
		return because(ErrRefNotFound, "the repository is empty")
	case kindOf(err) == ErrNotRepository && errors.Is(err, transport.ErrRepositoryNotFound):
		return because(ErrNotRepository, "there is no repository, or none that these credentials may know of: %v", err)
	case kindOf(err) != nil:
		return err
	}
	if line, ok := errors.AsType[*pktline.ErrorLine](err); ok {
		return refusal(line.Text)
	}
	return fmt.Errorf("%w: the answer is not in Git's protocol: %w", ErrNotRepository, err)
}

// refusal is the sentence with which a Git server closes the door.
func refusal(sentence string) error {
	lower := strings.ToLower(sentence)
	for _, word := range []string{"denied", "permission", "unauthorized", "not authorized", "forbidden"} {
		if strings.Contains(lower, word) {
			return fmt.Errorf("%w: the server says: %s", ErrAuth, sentence)
		}
	}
	return fmt.Errorf("%w: the server says: %s", ErrNotRepository, sentence)
}

func (t *talk) close() { t.session.Close() }

// refs sorts what the remote advertised.
func (t *talk) refs() refs {
	have := refs{
		branches: map[string]plumbing.Hash{},
		tags:     map[string]plumbing.Hash{},
		peeled:   map[string]plumbing.Hash{},
		headName: "HEAD",
	}
	for name, hash := range t.said.References {
		have.add(name, hash)
	}
	for name, hash := range t.said.Peeled {
		if tag, ok := strings.CutPrefix(name, "refs/tags/"); ok {
			have.peeled[tag] = hash
		}
	}
	if t.said.Head != nil {
		have.head = *t.said.Head
	}
	for _, link := range t.said.Capabilities.Get(capability.SymRef) {
		if branch, ok := strings.CutPrefix(link, "HEAD:refs/heads/"); ok {
			have.headName = branch
		}
	}
	return have
}

func (r *refs) add(name string, hash plumbing.Hash) {
	if branch, ok := strings.CutPrefix(name, "refs/heads/"); ok {
		r.branches[branch] = hash
	} else if tag, ok := strings.CutPrefix(name, "refs/tags/"); ok {
		r.tags[tag] = hash
	}
}

// wish is what to ask a remote for, and what is here already.
type wish struct {
	wants, haves, shallows []plumbing.Hash
	whole                  bool // all history, not only the newest commit
}

// errNotGiven: the server has no such object, or does not give it out by name.
var errNotGiven = errors.New("not given out by the server")

// pack asks for objects. The reader is the pack; the caller closes it.
func (t *talk) pack(ctx context.Context, w wish) (*packp.UploadPackResponse, io.Reader, error) {
	can := t.said.Capabilities
	req := packp.NewUploadPackRequestFromCapabilities(can)
	req.Wants, req.Haves, req.Shallows = w.wants, w.haves, w.shallows
	if can.Supports(capability.NoProgress) {
		if err := req.Capabilities.Set(capability.NoProgress); err != nil {
			return nil, nil, fmt.Errorf("ask for a pack: %w", err)
		}
	}
	if can.Supports(capability.Shallow) {
		if err := req.Capabilities.Set(capability.Shallow); err != nil {
			return nil, nil, fmt.Errorf("ask for a pack: %w", err)
		}
		if !w.whole {
			req.Depth = packp.DepthCommits(1)
		}
	}
	if len(w.haves) > 0 {
		// Only for a thin pack do servers look at what a shallow clone has: they send
		// the whole tree otherwise. go-git strikes it from what they can, so it is
		// not known whether they do; those that do not ignore it.
		if err := req.Capabilities.Set(capability.ThinPack); err != nil {
			return nil, nil, fmt.Errorf("ask for a pack: %w", err)
		}
	}
	answer, err := t.session.UploadPack(ctx, req)
	if err != nil {
		return nil, nil, refused(err)
	}
	return answer, demultiplex(req.Capabilities, answer), nil
}

func refused(err error) error {
	for _, words := range []string{"not our ref", "unadvertised object", "not valid"} { // git's, and JGit's
		if strings.Contains(err.Error(), words) {
			return fmt.Errorf("%w: %w", errNotGiven, err)
		}
	}
	if kindOf(err) != nil {
		return err
	}
	return fmt.Errorf("%w: the server sent no pack: %w", ErrUnreachable, err)
}

func demultiplex(agreed *capability.List, r io.Reader) io.Reader {
	switch {
	case agreed.Supports(capability.Sideband64k):
		return sideband.NewDemuxer(sideband.Sideband64k, r)
	case agreed.Supports(capability.Sideband):
		return sideband.NewDemuxer(sideband.Sideband, r)
	}
	return r
}
