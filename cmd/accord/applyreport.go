package main

import (
	"fmt"
	"io"
	"time"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// An applyReport is a status and how the delivery ended.
type applyReport struct {
	statusReport
	Result   result `json:"result"`
	ExitCode int    `json:"exitCode"`
}

func (r applyReport) print(out io.Writer, f format, now time.Time) error {
	if f == asJSON {
		return encode(out, f, r)
	}
	return r.write(out, now)
}

// applyProgress writes a line whenever the counts change.
func applyProgress(out io.Writer) func(v1alpha1.ReleaseStatus) {
	last := ""
	return func(st v1alpha1.ReleaseStatus) {
		line := sight{Summary: st.Summary}.counts()
		if line == last || st.Summary.Total == 0 {
			return
		}
		last = line
		fmt.Fprintln(out, time.Now().Format(time.TimeOnly)+"  "+line)
	}
}
