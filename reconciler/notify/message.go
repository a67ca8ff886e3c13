package notify

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/phrase"
)

const (
	// defaultTemplate is the text of a notification without a template.
	defaultTemplate = "{event}: {namespace}/{federation} @ {commit} {subject} ({healthy}/{total} clusters healthy): {message}"
	// maxText bounds a text, in characters: Slack cuts longer ones.
	maxText     = 3000
	shownCommit = 7
)

// message is the body of a request in the format Webhook.
type message struct {
	APIVersion string                `json:"apiVersion"`
	Kind       string                `json:"kind"`
	Event      v1alpha1.ReleaseEvent `json:"event"`
	Namespace  string                `json:"namespace"`
	Federation string                `json:"federation"`
	Release    string                `json:"release"`
	Revision   string                `json:"revision"`
	Author     string                `json:"author,omitempty"`
	Subject    string                `json:"subject,omitempty"`
	Message    string                `json:"message"`
	Text       string                `json:"text"`
	Clusters   clusters              `json:"clusters"`
	// Time is that of the request. A receiver can refuse a signed request that somebody sends again later.
	Time time.Time `json:"time"`
}

type clusters struct {
	Total       int32 `json:"total"`
	Healthy     int32 `json:"healthy"`
	Progressing int32 `json:"progressing"`
	Failed      int32 `json:"failed"`
	Held        int32 `json:"held"`
	Unreachable int32 `json:"unreachable"`
}

// bodyOf returns the body of the request about an event.
func bodyOf(n v1alpha1.Notification, r *v1alpha1.Release, e v1alpha1.ReleaseEvent, now time.Time) ([]byte, error) {
	if n.Format == v1alpha1.SlackNotification {
		return json.Marshal(map[string]string{"text": textOf(n, r, e, slackText)})
	}
	s := r.Status.Summary
	return json.Marshal(message{
		APIVersion: v1alpha1.GroupVersion.String(), Kind: "ReleaseNotification", Event: e,
		Namespace: r.Namespace, Federation: r.Spec.Federation, Release: r.Name, Revision: r.Spec.Revision, Author: r.Spec.Author, Subject: r.Spec.Subject,
		Message: readyMessage(r), Text: textOf(n, r, e, func(s string) string { return s }),
		Clusters: clusters{s.Total, s.Healthy, s.Progressing, s.Failed, s.Held, s.Unreachable}, Time: now.UTC().Truncate(time.Second),
	})
}

// textOf fills the template. It is no programming language, so no template can occupy the hub. Escape treats the values, which authors
// of commits write, and not the template.
func textOf(n v1alpha1.Notification, r *v1alpha1.Release, e v1alpha1.ReleaseEvent, escape func(string) string) string {
	s := r.Status.Summary
	values := map[string]string{
		"{event}": string(e), "{namespace}": r.Namespace, "{federation}": r.Spec.Federation, "{release}": r.Name, "{revision}": r.Spec.Revision,
		"{commit}": commitOf(r), "{author}": r.Spec.Author, "{subject}": r.Spec.Subject, "{message}": readyMessage(r),
		"{healthy}": strconv.Itoa(int(s.Healthy)), "{total}": strconv.Itoa(int(s.Total)), "{failed}": strconv.Itoa(int(s.Failed)),
		"{held}": strconv.Itoa(int(s.Held)), "{unreachable}": strconv.Itoa(int(s.Unreachable)),
	}
	pairs := make([]string, 0, 2*len(values))
	for name, value := range values {
		pairs = append(pairs, name, escape(phrase.Line(value)))
	}
	return phrase.Cut(strings.NewReplacer(pairs...).Replace(cmp.Or(n.Template, defaultTemplate)), maxText)
}

// slackText keeps a commit message from mentioning a channel or faking a link.
func slackText(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
}

// readyMessage returns the message of condition Ready.
func readyMessage(r *v1alpha1.Release) string {
	if c := meta.FindStatusCondition(r.Status.Conditions, fluxmeta.ReadyCondition); c != nil {
		return c.Message
	}
	return ""
}

// commitOf returns the first digits of the revision.
func commitOf(r *v1alpha1.Release) string {
	digits := r.Spec.Revision[strings.LastIndex(r.Spec.Revision, ":")+1:]
	return digits[:min(len(digits), shownCommit)]
}
