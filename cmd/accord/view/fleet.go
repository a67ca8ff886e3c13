package view

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/progress"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/status"
)

// clusterRow is one cluster in the table, with the counts of its deliveries.
type clusterRow struct {
	name, state, version, nodes, region, endpoint, note string
	taints                                              []string // of spec and status
	cordoned                                            bool
	since, heard                                        *metav1.Time
	objects                                             v1alpha1.Summary
}

// The states of a cluster.
const (
	memberReady       = "Ready"
	memberUnreachable = "Unreachable"
	memberUnknown     = "Unknown"
	memberLeaving     = "Leaving"
	memberHeld        = "Held" // and reachable
)

// fleetView is all clusters, those that need attention first.
type fleetView []clusterRow

// newFleetView adds up the deliveries of every cluster.
func newFleetView(clusters []v1alpha1.Cluster, deliveries []v1alpha1.Delivery) fleetView {
	objects := map[string]v1alpha1.Summary{}
	for _, d := range deliveries {
		sum := objects[d.Spec.Cluster]
		sum.Total += d.Status.Summary.Total
		sum.Healthy += d.Status.Summary.Healthy
		sum.Held += d.Status.Summary.Held
		objects[d.Spec.Cluster] = sum
	}
	view := make(fleetView, 0, len(clusters))
	for i := range clusters {
		m := newMember(&clusters[i])
		m.objects = objects[m.name]
		view = append(view, m)
	}
	slices.SortStableFunc(view, func(a, b clusterRow) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.name, b.name))
	})
	return view
}

func newMember(c *v1alpha1.Cluster) clusterRow {
	m := clusterRow{
		name: c.Name, state: memberUnknown, version: cmp.Or(c.Status.KubernetesVersion, "-"),
		nodes: cmp.Or(c.Status.NodeSummary.Display, "-"), region: cmp.Or(c.Spec.Region, "-"), endpoint: cmp.Or(c.Spec.APIEndpoint, "-"),
		heard: c.Status.LastProbeTime, note: "not contacted yet",
	}
	for _, t := range slices.Concat(c.Spec.Taints, c.Status.Taints) {
		m.taints, m.cordoned = append(m.taints, t.ToString()), m.cordoned || t.Key == v1alpha1.TaintUnschedulable || t.Key == v1alpha1.TaintDrain
	}
	if c.DeletionTimestamp != nil {
		m.state, m.since, m.note = memberLeaving, c.DeletionTimestamp, hub.DeletionNote(c)
		return m
	}
	ready := progress.Condition(c.Status.Conditions, c.Generation, "Ready")
	if ready == nil {
		return m
	}
	m.since, m.note = &ready.LastTransitionTime, ready.Message
	switch ready.Status {
	case metav1.ConditionTrue:
		m.state = memberReady
		if m.note == status.ClusterAnswers {
			m.note = ""
		}
		if c.Spec.Hold.In(time.Now()) {
			m.state, m.note = memberHeld, c.Spec.Hold.String()
		}
	case metav1.ConditionFalse:
		m.state = memberUnreachable
	}
	return m
}

func (m clusterRow) rank() int {
	return slices.Index([]string{memberUnreachable, memberUnknown, memberLeaving, memberHeld, memberReady}, m.state)
}

// only returns the view of one cluster; empty if there is none of that name.
func (v fleetView) only(name string) fleetView {
	return slices.DeleteFunc(slices.Clone(v), func(m clusterRow) bool { return m.name != name })
}

// headline returns "29 of 30 reachable.  ap-2 UNREACHABLE for 41m (dial tcp ...: i/o timeout)". Clusters that are being deleted
// are not counted.
func (v fleetView) headline(now time.Time) string {
	if len(v) == 0 {
		return "no clusters: accord join NAME makes one a member"
	}
	ready, leaving := v.in(memberReady)+v.in(memberHeld), v.in(memberLeaving)
	fleet := len(v) - leaving
	line := fmt.Sprintf("%d of %d reachable.", ready, fleet)
	if worst := v[0]; worst.state != memberReady && worst.state != memberHeld && worst.state != memberLeaving {
		line += fmt.Sprintf("  %s %s", worst.name, strings.ToUpper(worst.state))
		if since := text.Age(worst.since, now); since != "-" {
			line += " for " + since
		}
		line += text.WithPrefix(" (", worst.note)
		if worst.note != "" {
			line += ")"
		}
	}
	if others := fleet - ready - 1; others > 0 {
		line += fmt.Sprintf(", and %d more", others)
	}
	if leaving > 0 {
		line += fmt.Sprintf("  %d leaving.", leaving)
	}
	return line
}

// in counts the clusters in a state.
func (v fleetView) in(state string) (n int) {
	for _, m := range v {
		if m.state == state {
			n++
		}
	}
	return n
}

// write prints the headline and the clusters. Many ready clusters share one line, unless wide is set.
func (v fleetView) write(out io.Writer, wide bool, now time.Time) error {
	var b strings.Builder
	fmt.Fprintln(&b, v.headline(now))
	fine := 0
	for _, m := range v {
		if m.fine() {
			fine++
		}
	}
	collapse := !wide && fine > ManyClusters
	head := []string{"NAME", "STATE", "SINCE", "PROBED", "VERSION", "NODES", "OBJECTS", "HELD"}
	if wide {
		head = append(head, "REGION", "ENDPOINT", "TAINTS")
	}
	rows := [][]string{append(head, "NOTE")}
	for _, m := range v {
		if !collapse || !m.fine() {
			rows = append(rows, m.row(wide, now))
		}
	}
	if err := text.Table(&b, "", rows); err != nil {
		return err
	}
	if collapse {
		fmt.Fprintf(&b, "+%d Ready (all with -o wide)\n", fine)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// fine reports whether there is nothing to say about a cluster.
func (m clusterRow) fine() bool { return m.state == memberReady && m.note == "" && !m.cordoned }

// schedulingState returns the state as kubectl shows that of a node: "Ready,SchedulingDisabled" for a cordoned cluster.
func (m clusterRow) schedulingState() string {
	if m.cordoned {
		return m.state + ",SchedulingDisabled"
	}
	return m.state
}

func (m clusterRow) row(wide bool, now time.Time) []string {
	row := []string{
		m.name, m.schedulingState(), text.Age(m.since, now), text.Age(m.heard, now), m.version, m.nodes,
		fmt.Sprintf("%d/%d", m.objects.Healthy, m.objects.Total), fmt.Sprint(m.objects.Held),
	}
	if wide {
		row = append(row, m.region, m.endpoint, cmp.Or(strings.Join(m.taints, " "), "-"))
	}
	return append(row, m.note)
}
