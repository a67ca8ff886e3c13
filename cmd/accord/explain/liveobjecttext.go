package explain

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/cmd/accord/view"
)

// write writes the live part of the text.
func (live *LiveObject) write(b *strings.Builder) error {
	if live == nil {
		return nil
	}
	fmt.Fprintf(b, "\nlive on %s: ", live.Hub)
	if live.Federation == "" || len(live.Clusters) == 0 {
		fmt.Fprintln(b, live.Message)
		return nil
	}
	fmt.Fprintf(b, "%d/%d clusters healthy%s\n", live.Summary.Healthy, live.Summary.Total, text.WithPrefix("; ", live.Message))
	fmt.Fprintf(b, "  federation %s at %s, observed generation %d of %d\n", live.Federation, cmp.Or(live.Revision, "no revision yet"),
		live.ObservedGeneration, live.Generation)
	if live.Same {
		fmt.Fprintln(b, "  what the hub decided is what these manifests say"+text.WithPrefix("; ", live.Unknown))
	} else {
		fmt.Fprintln(b, "  the hub decided something else than these manifests say: it is at another revision")
	}
	if err := text.Table(b, "  ", live.rows()); err != nil {
		return err
	}
	if n, collapse := live.collapsible(); collapse {
		fmt.Fprintf(b, "  +%d of which there is nothing to say\n", n)
	}
	return nil
}

// collapsible counts the clusters without a note, and reports whether they are too many for a row each.
func (live *LiveObject) collapsible() (n int, collapse bool) {
	for _, c := range live.Clusters {
		if c.isFine() {
			n++
		}
	}
	return n, n > view.ManyClusters
}

// isFine reports whether the cluster follows the decision of the hub, as far as is known.
func (c liveCluster) isFine() bool {
	return (c.State == "" || c.State == v1alpha1.Healthy) && !c.Held && c.Message == "" && c.Differs == ""
}

func (live *LiveObject) rows() [][]string {
	_, collapse := live.collapsible()
	rows := [][]string{{"CLUSTER", "STATE", "REPLICAS", "DECIDED", "LIVE", "NOTE"}}
	for _, c := range live.Clusters {
		if collapse && c.isFine() {
			continue
		}
		replicas, state := "-", string(c.State)
		if c.Replicas != nil {
			replicas = fmt.Sprint(*c.Replicas)
		}
		if c.Held {
			state = string(v1alpha1.Held)
		}
		rows = append(rows, []string{
			c.Cluster, cmp.Or(state, "-"), replicas, cmp.Or(text.ShortDigest(c.Decided), "-"), cmp.Or(text.ShortDigest(c.Live), "-"), text.Join("; ", c.Message, c.Differs),
		})
	}
	return rows
}
