// Package verify decides whether a commit or an annotated tag is signed by an allowed signer. It reads no repository and no clock.
package verify

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Mode selects the objects that must be signed.
type Mode string

// Modes, with the names of Flux.
const (
	HEAD       Mode = "HEAD"
	Tag        Mode = "Tag"
	TagAndHEAD Mode = "TagAndHEAD"
)

// Revision is a commit with the annotated tag that led to it, as Git stores and signs them.
type Revision struct {
	Hash, Tree string // 40 hex, of the commit and of its root
	Commit     []byte // the commit object
	TagName    string // empty if no tag was requested
	Tag        []byte // the tag object; empty for a lightweight tag
}

// Signer is the owner of the key of a valid signature.
type Signer struct {
	// Key identifies the key: "SSH key SHA256:..." or "OpenPGP key 0123456789ABCDEF".
	Key string
	// Names are the names that the key has in the Secret: user IDs of OpenPGP, principals or the comment of SSH.
	Names []Name
}

// Name is one name of a signer. One of both may be empty.
type Name struct{ Name, Email string }

// String returns "Alice <alice@example.com> (SSH key SHA256:...)".
func (s Signer) String() string {
	if len(s.Names) == 0 {
		return s.Key
	}
	n := s.Names[0]
	switch {
	case n.Email == "":
		return n.Name + " (" + s.Key + ")"
	case n.Name == "":
		return n.Email + " (" + s.Key + ")"
	}
	return n.Name + " <" + n.Email + "> (" + s.Key + ")"
}

const digits = 12 // of a commit, in errors

// Check returns the signers of a revision. The error is a sentence that names the commit or the tag, and the signer as far as it is
// known. now is the time of the check: keys that are expired then verify nothing.
func Check(mode Mode, r Revision, keys Keys, now time.Time) ([]Signer, error) {
	var signers []Signer
	if mode == Tag || mode == TagAndHEAD {
		signer, err := checkTag(r, keys, now)
		if err != nil {
			return nil, err
		}
		signers = append(signers, signer)
	}
	if mode != Tag {
		signer, err := checkCommit(r, keys, now)
		if err != nil {
			return nil, err
		}
		signers = append(signers, signer)
	}
	return signers, nil
}

func checkCommit(r Revision, keys Keys, now time.Time) (Signer, error) {
	what := "commit " + short(r.Hash)
	payload, signature, err := splitCommit(r.Commit)
	if err != nil {
		return Signer{}, fmt.Errorf("%s: %w", what, err)
	}
	signer, err := keys.verify(payload, signature, now)
	if err != nil {
		return Signer{}, fmt.Errorf("%s %w", what, err)
	}
	// The parser of the repository reads the whole object, the signature covers the rest of it: both must mean the same tree.
	if line, _, _ := bytes.Cut(payload, []byte("\n")); string(line) != "tree "+r.Tree {
		return Signer{}, fmt.Errorf("%s was signed for another tree than %s", what, short(r.Tree))
	}
	return signer, nil
}

func checkTag(r Revision, keys Keys, now time.Time) (Signer, error) {
	what := fmt.Sprintf("tag %q of commit %s", r.TagName, short(r.Hash))
	switch {
	case r.TagName == "":
		return Signer{}, fmt.Errorf("commit %s was requested without a tag, and a tag must be signed: set ref.tag or ref.semver", short(r.Hash))
	case len(r.Tag) == 0:
		return Signer{}, fmt.Errorf("%s is not annotated, so it has no signature", what)
	}
	payload, signature := splitTag(r.Tag)
	signer, err := keys.verify(payload, signature, now)
	if err != nil {
		return Signer{}, fmt.Errorf("%s %w", what, err)
	}
	// A server can offer the tag object of another version under this name.
	want := "object " + r.Hash + "\ntype commit\ntag " + r.TagName + "\n"
	if !bytes.HasPrefix(payload, []byte(want)) {
		return Signer{}, fmt.Errorf("%s is the signed tag of something else: %q", what, head(payload))
	}
	return signer, nil
}

// head returns the object and the name in a tag.
func head(payload []byte) string {
	lines := strings.SplitN(string(payload[:min(len(payload), 200)]), "\n", 4)
	return strings.Join(lines[:min(3, len(lines))], " ")
}

func short(hash string) string { return hash[:min(len(hash), digits)] }

const header = "gpgsig "

// splitCommit returns the signed text of a commit, which is the object without its header gpgsig, and the signature; nil without one.
// Other headers stay in the text, gpgsig-sha256 included: a parser could read its lines as headers, and nobody signed them.
func splitCommit(object []byte) (payload, signature []byte, err error) {
	inside, found := false, false
	for rest := object; len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n') + 1
		if end == 0 {
			end = len(rest)
		}
		line := rest[:end]
		switch {
		case len(line) == 1 && line[0] == '\n': // the message follows
			return append(payload, rest...), signature, nil
		case inside && line[0] == ' ':
			signature = append(signature, line[1:]...)
		case bytes.HasPrefix(line, []byte(header)):
			if found {
				return nil, nil, errors.New("the commit has two signatures")
			}
			inside, found = true, true
			signature = append(signature, line[len(header):]...)
		default:
			inside = false
			payload = append(payload, line...)
		}
		rest = rest[end:]
	}
	return payload, signature, nil
}

// splitTag returns the signed text of a tag and the signature at its end; nil without one.
func splitTag(object []byte) (payload, signature []byte) {
	at := -1
	for _, begin := range []string{pgpBegin, sshBegin} {
		if i := bytes.LastIndex(object, []byte("\n"+begin)); i > at {
			at = i
		}
	}
	if at < 0 {
		return object, nil
	}
	return object[:at+1], object[at+1:]
}
