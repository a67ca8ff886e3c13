package progress

import (
	"cmp"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/phrase"
)

// Event is one line of "accord wait -o json". Result, ExitCode, Worst and Next are only in the last one.
type Event struct {
	Time       time.Time        `json:"time"`
	Federation string           `json:"federation"`
	Namespace  string           `json:"namespace"`
	Revision   string           `json:"revision"`
	Release    string           `json:"release,omitempty"`
	Summary    v1alpha1.Summary `json:"summary"`
	Message    string           `json:"message,omitempty"`
	Result     Result           `json:"result,omitempty"`
	ExitCode   *int             `json:"exitCode,omitempty"`
	// Worst are at most ten clusters that are not done.
	Worst []v1alpha1.NotReadyCluster `json:"worst,omitempty"`
	// Omitted counts the clusters that are not in Worst.
	Omitted int32  `json:"worstOmitted,omitempty"`
	Next    string `json:"next,omitempty"`
}

// DocumentKind implements text.Document.
func (Event) DocumentKind() string { return "WaitEvent" }

// quietPeriod is the time without output after which the printer reports that it waits for the hub.
const quietPeriod = 500 * time.Millisecond

// Printer writes one line for each change, and a last one with the result.
type Printer struct {
	line   func(io.Writer, Event, time.Time) error
	out    io.Writer
	commit string

	mu sync.Mutex
	// federation is empty until it is found; title is its name in text.
	federation v1alpha1.Federation
	title      string
	last       string
	over       bool
}

func NewPrinter(f text.Format, out io.Writer, name, commit string) *Printer {
	p := &Printer{out: out, commit: commit, title: name}
	p.line = p.textLine
	p.federation.Name = name
	if f == text.AsJSON {
		p.line = jsonLine
	}
	return p
}

// AnnounceHub prints the address of the hub unless another line is printed in time. The returned function cancels it.
func (p *Printer) AnnounceHub(host string) (end func()) {
	t := time.AfterFunc(quietPeriod, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.last == "" && !p.over {
			now := time.Now()
			e := p.event(Snapshot{}, now)
			e.Message = "waiting for the hub " + host + " to answer"
			_ = p.line(p.out, e, now) // the next line has the same error
		}
	})
	return func() {
		t.Stop()
		p.mu.Lock()
		defer p.mu.Unlock()
		p.over = true
	}
}

// SetFederation sets the federation of the following lines, and its name in text.
func (p *Printer) SetFederation(fed *v1alpha1.Federation, title string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.federation, p.title = *fed, title
}

// Print writes a line if something changed.
func (p *Printer) Print(s Snapshot, v Verdict, now time.Time) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.event(s, now)
	e.Message, e.Result = waitMessage(s, v, p.commit), v.Result
	if v.Result != "" {
		e.ExitCode = new(v.ExitCode())
	}
	if v.unfinished() {
		e.Worst, e.Omitted, e.Next = s.NotReady, s.Omitted, nextStep(&p.federation, s, v.Result)
	}
	change := fmt.Sprint(e.Release, e.Summary, e.Message, e.Result)
	if change == p.last {
		return nil
	}
	p.last = change
	return p.line(p.out, e, now)
}

func (p *Printer) event(s Snapshot, now time.Time) Event {
	if s.Commit != "" {
		p.commit = s.Commit
	}
	return Event{
		Time: now.UTC().Truncate(time.Second), Federation: p.federation.Name, Namespace: p.federation.Namespace, Revision: p.commit,
		Release: s.Release, Summary: s.Summary,
	}
}

// waitMessage returns the message of a snapshot, or of the result.
func waitMessage(s Snapshot, v Verdict, commit string) string {
	if v.Result != "" {
		return v.Message
	}
	if s.Release == "" {
		return text.Join("; ", "waiting for accord to see "+text.ShortRevision(commit), s.Note)
	}
	return text.Join("  ", progressLine(s), cmp.Or(text.WithPrefix("waiting for approval: ", s.Approve), s.AwaitingApproval, s.Note))
}

func jsonLine(out io.Writer, e Event, _ time.Time) error {
	line, err := text.EncodeDocumentLine(e)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, line)
	return err
}

// textLine writes "12:03:40  applied 13/30  healthy 12/30  eu-7 ..." and, at the end, "12:24:10  DONE  prod @ 4f2c9e1  applied
// 30/30  healthy 30/30", followed by the clusters that are not done and the next step.
func (p *Printer) textLine(out io.Writer, e Event, now time.Time) error {
	line := now.Format(time.TimeOnly) + "  "
	if e.Result != "" {
		line += fmt.Sprintf("%s  %s @ %s  ", headline(e.Result), p.title, text.ShortRevision(e.Revision))
	}
	line += e.Message + "\n"
	for _, w := range e.Worst {
		line += fmt.Sprintf("  %s  %s%s%s\n", w.Cluster, w.State, text.ForAge(w.Since, now), text.WithPrefix("  ", text.Join(": ", w.Object, w.Message)))
	}
	if e.Omitted > 0 {
		line += fmt.Sprintf("  and %s that are not done\n", phrase.Count(int(e.Omitted), "more cluster"))
	}
	if e.Next != "" {
		line += "  next: " + e.Next + "\n"
	}
	_, err := io.WriteString(out, line)
	return err
}

// headline returns the result in upper case.
func headline(r Result) string {
	return map[Result]string{
		Done: "DONE", Failed: "FAILED", Timeout: "TIME RAN OUT", Held: "HELD",
		Unreachable: "UNREACHABLE", Superseded: "SUPERSEDED", Refused: "REFUSED",
	}[r]
}
