package deliver

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/progress"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/cmd/accord/view"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/reconciler"
)

// Report is the status and the result of a delivery.
type Report struct {
	view.Status
	// Refused are objects that clusters rejected in the dry-run. Nothing is written to any cluster then.
	Refused  []refusal       `json:"refused,omitempty"`
	Result   progress.Result `json:"result"`
	ExitCode int             `json:"exitCode"`
}

// DocumentKind implements text.Document.
func (Report) DocumentKind() string { return "DeliveryReport" }

// refusal is one object that one cluster rejected.
type refusal struct {
	Cluster string `json:"cluster"`
	Object  string `json:"object"`
	// Reason is one word, Message the message of the API server.
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

func newReport(fed *v1alpha1.Federation, done reconciler.OnceResult, v progress.Verdict) Report {
	r := Report{Status: view.NewStatus(fed, &done.Release, done.Deliveries), Result: v.Result, ExitCode: v.ExitCode()}
	for _, x := range done.Rejected {
		r.Refused = append(r.Refused, refusal{x.Cluster, x.Object, x.Reason, x.Message})
	}
	if len(r.Refused) > 0 {
		r.Verdict = view.VerdictFailed
	}
	return r
}

func (r Report) print(out io.Writer, f text.Format, now time.Time) error {
	switch {
	case f == text.AsJSON:
		return text.Encode(out, f, r)
	case len(r.Refused) > 0:
		return r.writeRefused(out, now)
	}
	return r.Write(out, now)
}

// writeRefused lists the rejections in place of the clusters.
func (r Report) writeRefused(out io.Writer, now time.Time) error {
	var b strings.Builder
	fmt.Fprintln(&b, r.Headline(now))
	for i, x := range r.Refused {
		if i == progress.MaxNotReady {
			fmt.Fprintf(&b, "  and %s more; -o json has all\n", phrase.Count(len(r.Refused)-i, "refusal"))
			break
		}
		fmt.Fprintf(&b, "  %s refuses %s: %s: %s\n", x.Cluster, x.Object, x.Reason, text.Printable(x.Message))
	}
	fmt.Fprintln(&b, "  nothing was written to any cluster")
	_, err := io.WriteString(out, b.String())
	return err
}
