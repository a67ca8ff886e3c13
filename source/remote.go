package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/pktline"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
	"github.com/go-git/go-git/v5/plumbing/transport"

	"github.com/accord-dev/accord/internal/egress"
	"github.com/accord-dev/accord/internal/fairshare"
)

// session is one exchange in Git's protocol: go-git's for HTTP, ours for SSH.
type session = transport.UploadPackSession

// remote is a remote repository with the credentials of one caller.
type remote struct {
	open func(context.Context) (session, error)
	// refs are those of all connections of the Cache, by host.
	refs *fairshare.Pool
	host string
}

func (c *Cache) remote(at address, auth *Auth, networks egress.Networks) (r *remote, err error) {
	if at.endpoint.Protocol == "ssh" {
		r, err = remoteSSH(at, auth, networks)
	} else {
		r, err = c.remoteHTTP(at, auth, networks)
	}
	if err == nil {
		r.refs, r.host = c.refs, at.endpoint.Host
	}
	return r, err
}

// connection is a session after the handshake: the remote accepted the credentials and advertised its refs. It serves
// one pack.
type connection struct {
	session    session
	advertised *packp.AdvRefs
	account    *refsAccount
}

func (r *remote) connect(ctx context.Context) (*connection, error) {
	session, err := r.open(ctx)
	if err != nil {
		return nil, err
	}
	account := &refsAccount{pool: r.refs, host: r.host}
	advertised, err := session.AdvertisedReferencesContext(account.with(ctx))
	if err != nil {
		account.release()
		session.Close()
		return nil, notGit(err)
	}
	return &connection{session, advertised, account}, nil
}

// notGit gives a kind to a response that is not in Git's protocol.
func notGit(err error) error {
	switch {
	case strings.Contains(err.Error(), "object-format=sha256"):
		return withKind(ErrNotRepository, "a repository with SHA-256 object names, which are not supported")
	case errors.Is(err, transport.ErrEmptyRemoteRepository):
		return withKind(ErrRefNotFound, "the repository is empty")
	case kindOf(err) == ErrNotRepository && errors.Is(err, transport.ErrRepositoryNotFound):
		return withKind(ErrNotRepository, "there is no repository, or these credentials may not see it: %v", err)
	case kindOf(err) != nil:
		return err
	}
	if line, ok := errors.AsType[*pktline.ErrorLine](err); ok {
		return refusal(line.Text)
	}
	if unexpected, ok := errors.AsType[*packp.ErrUnexpectedData](err); ok {
		err = errors.New(unexpected.Msg) // its text quotes the response
	}
	return fmt.Errorf("%w: the response is not in Git's protocol: %w", ErrNotRepository, err)
}

// refusal maps the message of a Git server that rejects the caller to an error.
func refusal(sentence string) error {
	lower := strings.ToLower(sentence)
	for _, word := range []string{"denied", "permission", "unauthorized", "not authorized", "forbidden"} {
		if strings.Contains(lower, word) {
			return fmt.Errorf("%w: the server responded: %s", ErrAuth, sentence)
		}
	}
	return fmt.Errorf("%w: the server responded: %s", ErrNotRepository, sentence)
}

func (t *connection) close() {
	t.account.release()
	t.session.Close()
}

// refs returns the advertised refs by kind.
func (t *connection) refs() refs {
	have := refs{
		branches: map[string]plumbing.Hash{},
		tags:     map[string]plumbing.Hash{},
		peeled:   map[string]plumbing.Hash{},
		headName: "HEAD",
	}
	for name, hash := range t.advertised.References {
		have.add(name, hash)
	}
	for name, hash := range t.advertised.Peeled {
		if tag, ok := strings.CutPrefix(name, "refs/tags/"); ok {
			have.peeled[tag] = hash
		}
	}
	if t.advertised.Head != nil {
		have.head = *t.advertised.Head
	}
	for _, link := range t.advertised.Capabilities.Get(capability.SymRef) {
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

// packRequest names the objects to download and those that exist locally.
type packRequest struct {
	wants, haves, shallows []plumbing.Hash
	whole                  bool // the whole history, not only the newest commit
}

// maxPackHead bounds the answer before a pack, in bytes: the commits that both sides have, and where the history ends.
const maxPackHead = 4 << 20

// errNotServed means that the server has no such object or does not serve it by hash.
var errNotServed = errors.New("not served")

// pack requests objects and returns a reader of the pack. The caller must close the response.
func (t *connection) pack(ctx context.Context, w packRequest) (*packp.UploadPackResponse, io.Reader, error) {
	can := t.advertised.Capabilities
	req := packp.NewUploadPackRequestFromCapabilities(can)
	req.Wants, req.Haves, req.Shallows = w.wants, w.haves, w.shallows
	if can.Supports(capability.NoProgress) {
		if err := req.Capabilities.Set(capability.NoProgress); err != nil {
			return nil, nil, fmt.Errorf("request a pack: %w", err)
		}
	}
	if can.Supports(capability.Shallow) {
		if err := req.Capabilities.Set(capability.Shallow); err != nil {
			return nil, nil, fmt.Errorf("request a pack: %w", err)
		}
		if !w.whole {
			req.Depth = packp.DepthCommits(1)
		}
	}
	if len(w.haves) > 0 {
		// Servers consider the objects of a shallow clone only for thin packs; otherwise they send the whole tree.
		// go-git hides whether the server supports them; servers that do not ignore the capability.
		if err := req.Capabilities.Set(capability.ThinPack); err != nil {
			return nil, nil, fmt.Errorf("request a pack: %w", err)
		}
	}
	quota := egress.NewQuota(maxPackHead)
	answer, err := t.session.UploadPack(egress.WithQuota(ctx, quota), req)
	if err != nil && quota.Spent() { // go-git does not wrap the error of the reader
		return nil, nil, fmt.Errorf("%w: the answer before the pack has more than %s", ErrTooLarge, bytesOf(maxPackHead))
	}
	if err != nil {
		return nil, nil, refused(err)
	}
	quota.Set(math.MaxInt64) // the reader of the pack has a bound of its own
	return answer, demultiplex(req.Capabilities, answer), nil
}

func refused(err error) error {
	for _, words := range []string{"not our ref", "unadvertised object", "not valid"} { // of git and JGit
		if strings.Contains(err.Error(), words) {
			return fmt.Errorf("%w: %w", errNotServed, err)
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
