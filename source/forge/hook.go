package forge

import "net/http"

// Kind of an event.
type Kind string

// The kinds.
const (
	Push  Kind = "push" // of a branch or a tag
	Pull  Kind = "pull" // a pull (merge) request was opened, changed, merged or closed
	Ping  Kind = "ping" // somebody tries the webhook
	Other Kind = "other"
)

// Event is what a forge sends to a webhook.
type Event struct {
	Provider      Provider // empty for any other sender
	Kind          Kind
	Ref           string // such as refs/heads/main; of a pull request: the branch it asks to merge into
	Before, After string // commits; After is empty for a deleted ref
	Pull          int    // number of the pull request
	Merged        bool
	Action        string // what happened to the pull request, in the provider's word
	Delivery      string // unique for the delivery, to tell replays; empty if the sender gives none
}

// Read verifies in constant time and reads a webhook.
func Read(header http.Header, body, key []byte) (Event, error) {
	return Event{}, ErrSignature
}
