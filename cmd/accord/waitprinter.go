package main

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// A waitEvent is one line of "accord wait -o json". Result is only in the last one.
type waitEvent struct {
	Time       time.Time        `json:"time"`
	Federation string           `json:"federation"`
	Namespace  string           `json:"namespace"`
	Revision   string           `json:"revision"`
	Release    string           `json:"release,omitempty"`
	Summary    v1alpha1.Summary `json:"summary"`
	Message    string           `json:"message,omitempty"`
	Result     result           `json:"result,omitempty"`
	ExitCode   *int             `json:"exitCode,omitempty"`
}

// waitPrinter writes one line for each change, and the last one with the result.
func waitPrinter(f format, out io.Writer, fed *v1alpha1.Federation, commit string) func(sight, verdict, time.Time) error {
	line := textLine
	if f == asJSON {
		line = jsonLine
	}
	last := ""
	return func(s sight, v verdict, now time.Time) error {
		e := waitEvent{
			Time: now.UTC().Truncate(time.Second), Federation: fed.Name, Namespace: fed.Namespace, Revision: commit,
			Release: s.Release, Summary: s.Summary, Message: waitMessage(s, v, commit), Result: v.Result,
		}
		if v.Result != "" {
			e.ExitCode = new(v.exitCode())
		}
		if change := fmt.Sprint(e.Release, e.Summary, e.Message, e.Result); change == last {
			return nil
		} else {
			last = change
		}
		return line(out, e, now)
	}
}

// waitMessage is the sentence about a sight, or about the end.
func waitMessage(s sight, v verdict, commit string) string {
	if v.Result != "" {
		return v.Message
	}
	if s.Release == "" {
		return join("; ", "waiting for accord to see "+short(commit), s.Note)
	}
	return join("  ", progress(s), s.Note)
}

func jsonLine(out io.Writer, e waitEvent, _ time.Time) error {
	b, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("encoding a line: %w", err)
	}
	_, err = fmt.Fprintln(out, string(b))
	return err
}

// textLine is "12:03:40  applied 13/30  healthy 12/30  eu-7 ..." and, at the end,
// "12:24:10  DONE  prod @ 4f2c9e1  applied 30/30  healthy 30/30".
func textLine(out io.Writer, e waitEvent, now time.Time) error {
	line := now.Format(time.TimeOnly) + "  "
	if e.Result != "" {
		line += fmt.Sprintf("%s  %s @ %s  ", shout(e.Result), e.Federation, short(e.Revision))
	}
	_, err := fmt.Fprintln(out, line+e.Message)
	return err
}

// shout is the result as a headline.
func shout(r result) string {
	return map[result]string{
		resultDone: "DONE", resultFailed: "FAILED", resultTimeout: "TIME RAN OUT", resultHeld: "HELD",
		resultUnreachable: "UNREACHABLE", resultSuperseded: "SUPERSEDED",
	}[r]
}
