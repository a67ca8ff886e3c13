package explain

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/phrase"
)

func (s *ClusterReport) Print(out io.Writer, f text.Format) error {
	if f == text.AsJSON {
		return text.Encode(out, f, s)
	}
	var b strings.Builder
	fmt.Fprintln(&b, s.Verdict)
	if s.At != "" {
		fmt.Fprintln(&b, "  declared  "+s.At)
	}
	for _, fact := range s.Facts {
		fmt.Fprintln(&b, "  fact      "+fact)
	}
	for _, kind := range slices.Sorted(maps.Keys(s.Kinds)) {
		fmt.Fprintf(&b, "  gets      %d %s\n", s.Kinds[kind], kind)
	}
	for _, failed := range s.Failed {
		fmt.Fprintln(&b, "  fails     "+failed)
	}
	writeRules(&b, "held", s.Holds)
	writeRules(&b, "refused", s.Refused)
	s.Live.write(&b, time.Now())
	_, err := io.WriteString(out, b.String())
	return err
}

func writeRules(b *strings.Builder, what string, rules []RuleGroup) {
	for _, r := range rules {
		fmt.Fprintf(b, "\n%d %s: %s%s\n  %s\n", len(r.Objects), what, r.Why, text.WithPrefix(" (", text.WithSuffix(r.At, ")")), phrase.List(r.Objects, text.MaxNames))
	}
}
