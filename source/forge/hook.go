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

// Kind is the kind of an event.
type Kind string

// Kinds of events.
const (
	Push  Kind = "push" // of a branch or a tag, or any request of a sender without a provider
	Pull  Kind = "pull" // a pull (merge) request was opened, changed, merged or closed
	Ping  Kind = "ping" // a test of the webhook
	Other Kind = "other"
)

// Event is a request to a webhook. Fields that the request does not carry are empty.
type Event struct {
	Provider Provider // empty for other senders
	Kind     Kind
	Ref      string // such as refs/heads/main; for a pull request the target branch
	Before   string // previous commit of Ref; empty for a new ref and for a pull request
	After    string // new commit of Ref, or the head of a pull request; empty for a deleted ref
	Pull     int    // number of the pull request
	Merged   bool
	Action   string // action on the pull request, in the provider's term
	Delivery string // ID of the delivery; unsigned, so it cannot detect replays by an attacker
}

// sender describes the requests of one provider and their signatures.
type sender struct {
	provider   Provider
	claims     []string // prefixes of header names that only this sender uses
	signatures []string // headers with a signature: at least one must exist, and all must verify
	deliveries []string // headers with the ID of the delivery, in order of preference
	verify     func(given string, body, key []byte) bool
	read       func(header http.Header, payload []byte) (Event, error)
}

// senders returns all supported senders in order of precedence: Gitea and Forgejo send GitHub's headers as well.
func senders() []sender {
	return []sender{{
		provider:   Gitea,
		claims:     []string{"X-Gitea-", "X-Forgejo-"},
		signatures: []string{"X-Gitea-Signature", "X-Forgejo-Signature"},
		deliveries: []string{"X-Gitea-Delivery", "X-Forgejo-Delivery"},
		verify:     verifyMAC,
		read: func(header http.Header, payload []byte) (Event, error) {
			return readGitHub(first(header, "X-Gitea-Event", "X-Forgejo-Event"), payload) // the same names and fields as GitHub
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

// genericSender returns the sender without a provider, which signs with accord's own header and may send any body.
func genericSender() sender {
	return sender{
		signatures: []string{"X-Signature"},
		verify: func(given string, body, key []byte) bool {
			return verifyMAC(strings.TrimPrefix(given, "sha256="), body, key)
		},
	}
}

// Read verifies a webhook in constant time and parses it: GitHub's (X-Hub-Signature-256, HMAC-SHA256), GitLab's
// (X-Gitlab-Token, the key itself), Gitea's and Forgejo's (X-Gitea-Signature, X-Forgejo-Signature, HMAC-SHA256), and
// any other sender's (X-Signature: sha256=<hex>). The signature must be of the sender that the headers claim. Read
// returns ErrSignature if it is not, and for an empty key; other errors mean that the body is malformed.
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

// claimed returns the sender that the headers claim; ok is false if they claim two.
func claimed(header http.Header) (sender, bool) {
	var found []sender
	for _, s := range senders() {
		if s.claimedBy(header) {
			found = append(found, s)
		}
	}
	switch {
	case len(found) == 0:
		return genericSender(), true
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

// verifyMAC verifies the hex digits of an HMAC-SHA256 in constant time.
func verifyMAC(given string, body, key []byte) bool {
	mac := hmac.New(sha256.New, key)
	mac.Write(body)
	sum, err := hex.DecodeString(given)
	return err == nil && hmac.Equal(sum, mac.Sum(nil))
}

// verifyKey compares hashes, so that the time does not reveal the length of the key.
func verifyKey(given string, _, key []byte) bool {
	got, want := sha256.Sum256([]byte(given)), sha256.Sum256(key)
	return hmac.Equal(got[:], want[:])
}

// content returns the body, or the payload of a form, which is GitHub's default.
func content(header http.Header, body []byte) ([]byte, error) {
	kind, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil || kind != "application/x-www-form-urlencoded" {
		return body, nil
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, errors.New("the body is not a form, but its content type is")
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

// pushed holds the fields of a push that all senders share. The clients' own types hold all other fields too, and one
// field with a new type would make the push unreadable.
type pushed struct {
	Ref    string `json:"ref"`
	Before string `json:"before"`
	After  string `json:"after"`
}

func (p pushed) event() Event {
	return Event{Kind: Push, Ref: p.Ref, Before: orEmpty(p.Before), After: orEmpty(p.After)}
}

// orEmpty replaces the zeros that stand for no commit with an empty string.
func orEmpty(commit string) string {
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

// readGitHub reads https://docs.github.com/en/webhooks/webhook-events-and-payloads. A request without the name of an
// event comes from another sender that signs like GitHub.
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
