package progress

import (
	"fmt"
	"io"
	"time"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/text"
)

// ShowCounts returns a function that shows the counts of a Release: in the line of a terminal, and elsewhere in a new line
// whenever they change.
func ShowCounts(out io.Writer, shown *text.ProgressLine) func(v1alpha1.ReleaseStatus) {
	last := ""
	return func(st v1alpha1.ReleaseStatus) {
		line := Snapshot{Summary: st.Summary}.Counts()
		if line == last || st.Summary.Total == 0 {
			return
		}
		last = line
		if shown.Visible() {
			shown.Describe(line)
			return
		}
		fmt.Fprintln(out, time.Now().Format(time.TimeOnly)+"  "+line)
	}
}
