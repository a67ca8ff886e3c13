package sync

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/source"
	"github.com/accord-dev/accord/source/verify"
	"github.com/accord-dev/accord/status"
)

// verify returns the signers of the sources with spec.sources[].verify, by source. The error is a *status.UnverifiedError if a revision
// is not verified.
func (c Checkout) verify(ctx context.Context, secret secrets, now time.Time) (map[string][]verify.Signer, error) {
	signers := map[string][]verify.Signer{}
	for i, s := range c.sources {
		if s.Verify == nil {
			continue
		}
		data, err := secret(ctx, s.Verify.SecretRef.Name)
		if err != nil {
			return nil, fmt.Errorf("source %q: secret %q of its signers: %w", s.Name, s.Verify.SecretRef.Name, err)
		}
		keys, err := verify.ParseKeys(data)
		if err != nil {
			return nil, unverified(s, c.snapshots[i].Revision, fmt.Errorf("secret %q: %w", s.Verify.SecretRef.Name, err))
		}
		if signers[s.Name], err = verify.Check(verify.Mode(s.Verify.Mode), signed(s, c.snapshots[i]), keys, now); err != nil {
			return nil, unverified(s, c.snapshots[i].Revision, err)
		}
	}
	return signers, nil
}

// signed returns a snapshot as its signers saw it.
func signed(s v1alpha1.Source, at source.Snapshot) verify.Revision {
	r := verify.Revision{Hash: at.Commit, Tree: at.Tree, Commit: at.RawCommit, Tag: at.RawTag}
	if s.Ref != nil && (s.Ref.Tag != "" || s.Ref.SemVer != "") {
		r.TagName, _, _ = source.ParseRevision(at.Revision)
	}
	return r
}

func unverified(s v1alpha1.Source, revision string, err error) error {
	mode := cmp.Or(s.Verify.Mode, v1alpha1.VerifyHEAD)
	return &status.UnverifiedError{Revision: revision, Err: fmt.Errorf("source %q (spec.sources[].verify, mode %s): %s", s.Name, mode, phrase.Line(err.Error()))}
}

// reportSigners writes the signers of the checkout to the Federation, unless the sources could not be read or verified.
func (c *Controller) reportSigners(ctx context.Context, s *scope) error {
	if len(s.checkout.snapshots) == 0 || s.f.SourceError() != nil {
		return nil
	}
	return c.reporter.SourceVerified(ctx, s.f, s.checkout.signatures())
}

// signatures describes the signers of the sources; empty if no source is verified.
func (c Checkout) signatures() string {
	var all []string
	for i, s := range c.sources {
		if s.Verify == nil {
			continue
		}
		var by []string
		for _, signer := range c.signers[s.Name] {
			by = append(by, signer.String())
		}
		all = append(all, phrase.Line(fmt.Sprintf("%s: %s is signed by %s", s.Name, phrase.Revision("sha1:"+c.snapshots[i].Commit), strings.Join(by, " and "))))
	}
	return strings.Join(all, "; ")
}
