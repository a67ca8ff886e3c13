package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/cmd/accord/view"
	"github.com/accord-dev/accord/internal/phrase"
)

// LiveCluster is the state of a cluster on the hub.
type LiveCluster struct {
	Hub string `json:"hub"`
	// Message is the reason why nothing is known; empty if something is.
	Message string `json:"message,omitempty"`
	// Part is the row of the cluster; nil if it has received nothing.
	Part *view.ClusterStatus `json:"cluster,omitempty"`
}

// newLiveClusterReport returns the state of a cluster on the hub, nil without a hub.
func newLiveClusterReport(l *load.LiveHub, name string) *LiveCluster {
	if l == nil {
		return nil
	}
	live := &LiveCluster{Hub: l.Config.Host}
	if l.Err != nil {
		live.Message = l.Err.Error()
		return live
	}
	i := slices.IndexFunc(l.Deliveries, func(d v1alpha1.Delivery) bool { return d.Spec.Cluster == name })
	if i < 0 {
		live.Message = "it has received nothing yet"
		return live
	}
	part := view.NewClusterStatus(&l.Deliveries[i], l.Federation.Status.LastAttemptedRevision)
	live.Part = &part
	return live
}

// write writes the live part of the text.
func (live *LiveCluster) write(b *strings.Builder, now time.Time) {
	switch {
	case live == nil:
		return
	case live.Part == nil:
		fmt.Fprintf(b, "\nlive on %s: %s\n", live.Hub, live.Message)
		return
	}
	c := live.Part
	on := cmp.Or(c.Revision, "no revision yet")
	if c.Current {
		on += " (newest)"
	}
	fmt.Fprintf(b, "\nlive on %s: %s for %s, %d/%d objects healthy\n  runs      %s, last probe %s ago\n", live.Hub, c.State, text.Age(c.Since, now),
		c.Objects.Healthy, c.Objects.Total, on, text.Age(c.Heard, now))
	if note := c.NoteAt(now); note != "" {
		fmt.Fprintln(b, "  note      "+note)
	}
	for _, p := range c.Trouble {
		fmt.Fprintf(b, "  problem   %s %s for %s%s\n", p.Object, p.State, text.Age(p.Since, now), text.WithPrefix(": ", p.Message))
	}
	for _, f := range c.Mutated {
		fmt.Fprintf(b, "  mutated   %s\n", f)
	}
	if c.TroubleOmitted > 0 {
		fmt.Fprintf(b, "  problem   and %s\n", phrase.Count(int(c.TroubleOmitted), "more object"))
	}
}
