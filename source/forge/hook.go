package forge

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"
)

// Kind of an event.
type Kind string

// The kinds.
const (
	Push  Kind = "push" // of a branch or a tag, or whatever a sender without a provider wants to say
	Pull  Kind = "pull" // a pull (merge) request was opened, changed, merged or closed
	Ping  Kind = "ping" // somebody tries the webhook
	Other Kind = "other"
)

// Event is what a forge sends to a webhook. What it does not say is empty.
type Event struct {
	Provider Provider // empty for any other sender
	Kind     Kind
	Ref      string // such as refs/heads/main; of a pull request: the branch it asks to be merged into
	Before   string // commit that Ref pointed at; empty for a new ref and for a pull request
	After    string // commit that Ref points at, or the head of a pull request; empty for a deleted ref
	Pull     int    // number of the pull request
	Merged   bool
	Action   string // what happened to the pull request, in the provider's word
	Delivery string // tells deliveries apart; no signature covers it, so it is of no use against an attacker
}

// sender is who a request says it comes from, and how that sender signs.
type sender struct {
	provider   Provider
	claims     []string // beginnings of header names that only this sender has
	signatures []string // headers with a signature: one at least, and all must verify
	deliveries []string // headers with the number of the delivery, best first
	verify     func(given string, body, key []byte) bool
	read       func(header http.Header, payload []byte) (Event, error)
}

// senders is who is understood, in the order in which claims count: Gitea and Forgejo send GitHub's headers as well.
func senders() []sender {
	return []sender{{
		provider:   Gitea,
		claims:     []string{"X-Gitea-", "X-Forgejo-"},
		signatures: []string{"X-Gitea-Signature", "X-Forgejo-Signature"},
		deliveries: []string{"X-Gitea-Delivery", "X-Forgejo-Delivery"},
		verify:     verifyMAC,
		read: func(header http.Header, payload []byte) (Event, error) {
			return readGitHub(first(header, "X-Gitea-Event", "X-Forgejo-Event"), payload) // the same words and fields
		},
	}, {
		provider:   GitHub,
		claims:     []string{"X-Github-", "X-Hub-"},
		signatures: []string{"X-Hub-Signature-256"},
		deliveries: []string{"X-Github-Delivery"},
		verify: func(given string, body, key []byte) bool {
			mac, ok := strings.CutPrefix(given, "sha256=")
			return ok && verifyMAC(mac, body, key)
		},
		read: func(header http.Header, payload []byte) (Event, error) {
			return readGitHub(header.Get("X-Github-Event"), payload)
		},
	}, {
		provider:   GitLab,
		claims:     []string{"X-Gitlab-"},
		signatures: []string{"X-Gitlab-Token"},
		deliveries: []string{"Idempotency-Key", "X-Gitlab-Event-Uuid"},
		verify:     verifyKey,
		read:       func(_ http.Header, payload []byte) (Event, error) { return readGitLab(payload) },
	}}
}

// anybody signs with accord's own header and may send any body.
func anybody() sender {
	return sender{
		signatures: []string{"X-Signature"},
		verify: func(given string, body, key []byte) bool {
			return verifyMAC(strings.TrimPrefix(given, "sha256="), body, key)
		},
	}
}

// Read verifies in constant time and reads a webhook: GitHub's (X-Hub-Signature-256, HMAC-SHA256), GitLab's
// (X-Gitlab-Token, the key itself), Gitea's and Forgejo's (X-Gitea-Signature, X-Forgejo-Signature, HMAC-SHA256), and
// any other sender's (X-Signature: sha256=<hex>). A request must be signed in the way of whom its headers say it comes
// from. The error is ErrSignature if it is not, and for an empty key; any other is about a body that cannot be read.
func Read(header http.Header, body, key []byte) (Event, error) {
	from, ok := claimed(header)
	if !ok || len(key) == 0 || !from.signed(header, body, key) {
		return Event{}, ErrSignature
	}
	if from.provider == "" {
		return Event{Kind: Push}, nil
	}
	payload, err := content(header, body)
	if err != nil {
		return Event{}, err
	}
	event, err := from.read(header, payload)
	if err != nil {
		return Event{}, fmt.Errorf("read what %s sent: %w", from.provider, err)
	}
	event.Provider, event.Delivery = from.provider, first(header, from.deliveries...)
	return event, nil
}

// claimed is who a request says it comes from; not ok if it says two things.
func claimed(header http.Header) (sender, bool) {
	var found []sender
	for _, s := range senders() {
		if s.claimedBy(header) {
			found = append(found, s)
		}
	}
	switch {
	case len(found) == 0:
		return anybody(), true
	case len(found) == 1, len(found) == 2 && found[0].provider == Gitea && found[1].provider == GitHub:
		return found[0], true
	}
	return sender{}, false
}

func (s sender) claimedBy(header http.Header) bool {
	for name := range header {
		for _, beginning := range s.claims {
			if strings.HasPrefix(http.CanonicalHeaderKey(name), beginning) {
				return true
			}
		}
	}
	return false
}

func (s sender) signed(header http.Header, body, key []byte) bool {
	verified := 0
	for _, name := range s.signatures {
		for _, given := range header.Values(name) {
			if !s.verify(given, body, key) {
				return false
			}
			verified++
		}
	}
	return verified > 0
}

// verifyMAC compares the hex digits of an HMAC-SHA256.
func verifyMAC(given string, body, key []byte) bool {
	mac := hmac.New(sha256.New, key)
	mac.Write(body)
	sum, err := hex.DecodeString(given)
	return err == nil && hmac.Equal(sum, mac.Sum(nil))
}

// verifyKey compares sums, so that the time does not tell the key's length either.
func verifyKey(given string, _, key []byte) bool {
	got, want := sha256.Sum256([]byte(given)), sha256.Sum256(key)
	return hmac.Equal(got[:], want[:])
}

// content is the body, or what is in its form, which is how GitHub sends it unless told otherwise.
func content(header http.Header, body []byte) ([]byte, error) {
	kind, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil || kind != "application/x-www-form-urlencoded" {
		return body, nil
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, errors.New("the body is not the form that its content type says")
	}
	return []byte(form.Get("payload")), nil
}

func first(header http.Header, names ...string) string {
	for _, name := range names {
		if value := header.Get(name); value != "" {
			return value
		}
	}
	return ""
}

// pushed is what all say of a push. The clients' own types hold all the rest as well, and one field of another type in
// a later version would lose the push; so only what is needed is read.
type pushed struct {
	Ref    string `json:"ref"`
	Before string `json:"before"`
	After  string `json:"after"`
}

func (p pushed) event() Event {
	return Event{Kind: Push, Ref: p.Ref, Before: orNone(p.Before), After: orNone(p.After)}
}

// orNone is empty for the zeros that stand for no commit.
func orNone(commit string) string {
	if strings.Trim(commit, "0") == "" {
		return ""
	}
	return commit
}

func branch(name string) string {
	if name == "" {
		return ""
	}
	return "refs/heads/" + name
}

// readGitHub reads https://docs.github.com/en/webhooks/webhook-events-and-payloads. Without the name of an event it is
// somebody who only signs like GitHub.
func readGitHub(event string, payload []byte) (Event, error) {
	switch event {
	case "":
		return Event{Kind: Push}, nil
	case "push":
		var sent pushed
		err := json.Unmarshal(payload, &sent)
		return sent.event(), err
	case "pull_request":
		return readPull(payload)
	case "ping":
		return Event{Kind: Ping}, nil
	}
	return Event{Kind: Other}, nil
}

func readPull(payload []byte) (Event, error) {
	var sent struct {
		Action string `json:"action"`
		Number int    `json:"number"`
		Pull   struct {
			Merged bool `json:"merged"`
			Head   struct {
				SHA string `json:"sha"`
			} `json:"head"`
			Base struct {
				Ref string `json:"ref"`
			} `json:"base"`
		} `json:"pull_request"`
	}
	if err := json.Unmarshal(payload, &sent); err != nil {
		return Event{}, err
	}
	return Event{
		Kind: Pull, Ref: branch(sent.Pull.Base.Ref), After: sent.Pull.Head.SHA,
		Pull: sent.Number, Merged: sent.Pull.Merged, Action: sent.Action,
	}, nil
}
