package explain

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate/decision"
	"github.com/accord-dev/accord/propagate/failover"
)

// Eviction explains one eviction of the object.
type Eviction struct {
	Cluster string `json:"cluster"`
	// Phase is Evicting, Completed, Cancelled, or Blocked for an eviction that has a cause and does not begin.
	Phase     string             `json:"phase"`
	Producer  string             `json:"producer,omitempty"`
	Reason    string             `json:"reason,omitempty"`
	Message   string             `json:"message,omitempty"`
	PurgeMode v1alpha1.PurgeMode `json:"purgeMode,omitempty"`
	Since     *time.Time         `json:"since,omitempty"`
	Ended     *time.Time         `json:"ended,omitempty"`
	// WaitsFor names the event that ends an eviction, or the reason why it does not begin; empty without a hub.
	WaitsFor string `json:"waitsFor,omitempty"`
	// Deadline is the end of the grace period; absent if no deadline changes anything.
	Deadline *time.Time `json:"deadline,omitempty"`
}

// evictions returns the tasks of an object and its blocked evictions, sorted by cluster.
func evictions(d *decision.Decision, live *load.LiveHub, only string) []Eviction {
	states := map[string]v1alpha1.EvictionState{}
	if live != nil {
		for i := range live.Objects {
			if o := &live.Objects[i]; o.Spec.Template.ID() == d.ID {
				for _, s := range o.Status.Evictions {
					states[s.Cluster] = s
				}
			}
		}
	}
	var all []Eviction
	for _, t := range d.Evictions {
		e := Eviction{
			Cluster: t.FromCluster, Phase: string(v1alpha1.EvictionOpen), Producer: t.Producer, Reason: t.Reason, Message: t.Message, PurgeMode: t.PurgeMode,
			Since: &t.CreationTimestamp.Time,
		}
		s, known := states[t.FromCluster]
		switch {
		case t.Cancelled:
			e.Phase, e.Ended = "Cancelled", &t.CompletionTimestamp.Time
		case !t.Open():
			e.Phase, e.Ended = "Completed", &t.CompletionTimestamp.Time
		case known:
			e.wait(s)
			delete(states, t.FromCluster)
		}
		all = append(all, e)
	}
	for _, s := range states {
		if s.Phase == v1alpha1.EvictionBlocked {
			e := Eviction{Cluster: s.Cluster, Phase: string(s.Phase)}
			e.wait(s)
			all = append(all, e)
		}
	}
	slices.SortFunc(all, func(a, b Eviction) int { return strings.Compare(a.Cluster+" "+a.Phase, b.Cluster+" "+b.Phase) })
	return slices.DeleteFunc(all, func(e Eviction) bool { return only != "" && e.Cluster != only })
}

func (e *Eviction) wait(s v1alpha1.EvictionState) {
	e.WaitsFor = s.Message
	if s.Deadline != nil {
		e.Deadline = &s.Deadline.Time
	}
}

// write writes a line about the eviction, and a line about the event that it waits for.
func (e Eviction) write(b *strings.Builder) {
	switch {
	case e.Since == nil:
		fmt.Fprintf(b, "  eviction  from %s is blocked\n", e.Cluster)
	case e.Ended != nil:
		fmt.Fprintf(b, "  eviction  from %s, %s %s: %s by %s since %s\n", e.Cluster, strings.ToLower(e.Phase), clock(*e.Ended), e.Reason, e.Producer, clock(*e.Since))
	default:
		fmt.Fprintf(b, "  eviction  from %s, %s since %s: %s by %s%s\n", e.Cluster, e.PurgeMode, clock(*e.Since), e.Reason, e.Producer, text.WithPrefix(": ", e.Message))
	}
	if e.WaitsFor != "" {
		line := e.WaitsFor
		if e.Deadline != nil {
			line += ", until " + clock(*e.Deadline)
		}
		fmt.Fprintln(b, "            "+line)
	}
}

func clock(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// failoverNote returns a note about the failover of a policy without effect; empty if there is nothing to note.
func failoverNote(d *decision.Decision, enabled bool) string {
	if d.Policy == nil || d.Policy.Spec.Failover == nil || enabled {
		return ""
	}
	at := d.Policy.At("spec.failover").String()
	return fmt.Sprintf("spec.failover of the policy%s has no effect: the Federation does not enable failover (spec.failover.enabled)", text.WithPrefix(" (", text.WithSuffix(at, ")")))
}

// tolerationNotes returns notes about the automatic taints NoExecute that the clusterTolerations of a policy do not mention: the default
// of the Federation tolerates them for a time, or that of the controllers.
func tolerationNotes(d *decision.Decision, f *v1alpha1.Failover) []string {
	if f == nil || !f.Enabled || d.Policy == nil || d.Policy.Spec.Failover == nil || d.Policy.Spec.Failover.Cluster == nil {
		return nil
	}
	set, both := failover.Configured(f), failover.Configured(f)
	both.NotReadyToleration, both.UnreachableToleration = new(time.Duration), new(time.Duration)
	added := set.AddedTolerations(d.Policy.Spec.Placement)
	var notes []string
	for _, t := range both.AddedTolerations(d.Policy.Spec.Placement) { // the taints that the policy does not mention
		short, field := "not-ready", "defaultNotReadyTolerationSeconds"
		if t.Key == v1alpha1.TaintUnreachable {
			short, field = "unreachable", "defaultUnreachableTolerationSeconds"
		}
		i := slices.IndexFunc(added, func(x corev1.Toleration) bool { return x.Key == t.Key })
		if i < 0 {
			notes = append(notes, fmt.Sprintf("no clusterToleration mentions %s:NoExecute: the taint evicts after --default-%s-toleration-seconds of the controllers (default at once)", t.Key, short))
			continue
		}
		notes = append(notes, fmt.Sprintf("no clusterToleration mentions %s:NoExecute: the taint evicts after %s (spec.failover.%s of the Federation)",
			t.Key, phrase.Duration(time.Duration(*added[i].TolerationSeconds)*time.Second), field))
	}
	return notes
}
