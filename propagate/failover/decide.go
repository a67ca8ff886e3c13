package failover

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
)

// Decide returns the next eviction tasks, and why evictions wait or are blocked.
func Decide(in Input) Outcome {
	d := newDecider(in)
	tasks := make([][]v1alpha1.GracefulEvictionTask, len(d.objects))
	for i, o := range d.objects {
		tasks[i] = d.settle(o)
		if o.Policy != nil {
			d.trackHealth(o)
			d.causes(i, tasks[i])
		}
	}
	d.begin(tasks)
	for i, o := range d.objects {
		slices.SortFunc(tasks[i], func(a, b v1alpha1.GracefulEvictionTask) int { return cmp.Compare(a.FromCluster, b.FromCluster) })
		if !same(o.Tasks, tasks[i]) {
			d.out.Tasks[o.ID] = tasks[i]
		}
	}
	d.sortOutcome()
	return d.out
}

// decider is the state of one call of Decide.
type decider struct {
	in Input
	// now is the time of the decision. Times that are remembered have whole seconds, as on the hub.
	now, stamp time.Time
	clusters   map[string]*Cluster
	objects    []*Object // sorted by ID
	candidates []candidate
	out        Outcome
}

func newDecider(in Input) *decider {
	now := in.Now.UTC()
	d := &decider{
		in: in, now: now, stamp: now.Truncate(time.Second), clusters: make(map[string]*Cluster, len(in.Clusters)), objects: make([]*Object, len(in.Objects)),
		out: Outcome{Tasks: map[manifest.ID][]v1alpha1.GracefulEvictionTask{}, UnhealthySince: map[manifest.ID]map[string]time.Time{}},
	}
	for i := range in.Clusters {
		d.clusters[in.Clusters[i].Name] = &in.Clusters[i]
	}
	for i := range in.Objects {
		d.objects[i] = &in.Objects[i]
	}
	slices.SortFunc(d.objects, func(a, b *Object) int { return a.ID.Compare(b.ID) })
	d.out.Doubt = doubt(in)
	return d
}

// trackHealth remembers since when the copies of an object with application failover are unhealthy. Healthy and unknown copies begin
// again; an unobserved copy keeps its time.
func (d *decider) trackHealth(o *Object) {
	if o.Policy.Spec.Failover == nil || o.Policy.Spec.Failover.Application == nil {
		return
	}
	since := map[string]time.Time{}
	for _, c := range o.Choice {
		at, was := o.UnhealthySince[c.Name]
		switch health := o.copyOn(c.Name).Health; {
		case health == Unobserved && was:
			since[c.Name] = at
		case health == Unhealthy && d.answers(c.Name):
			if !was {
				at = d.stamp
			}
			since[c.Name] = at
		}
	}
	if len(since) > 0 {
		d.out.UnhealthySince[o.ID] = since
	}
}

func (d *decider) answers(cluster string) bool {
	c := d.clusters[cluster]
	return c != nil && c.Answers
}

// lookAgain makes the next decision happen at a time at the latest.
func (d *decider) lookAgain(at time.Time) {
	if at.After(d.now) && (d.out.Again.IsZero() || at.Before(d.out.Again)) {
		d.out.Again = at.UTC()
	}
}

func (d *decider) event(kind EventKind, o *Object, cluster, message string) {
	d.out.Events = append(d.out.Events, Event{Kind: kind, ID: o.ID, Cluster: cluster, Message: message})
}

func (d *decider) sortOutcome() {
	slices.SortStableFunc(d.out.Events, func(a, b Event) int { return compare(a.ID, b.ID, a.Cluster, b.Cluster) })
	slices.SortFunc(d.out.Blocked, func(a, b Blocked) int { return compare(a.ID, b.ID, a.Cluster, b.Cluster) })
	slices.SortFunc(d.out.Waiting, func(a, b Waiting) int { return compare(a.ID, b.ID, a.Cluster, b.Cluster) })
}

func compare(a, b manifest.ID, c, d string) int { return cmp.Or(a.Compare(b), strings.Compare(c, d)) }

// same reports whether two lists have equal tasks, in any order.
func same(a, b []v1alpha1.GracefulEvictionTask) bool {
	if len(a) != len(b) {
		return false
	}
	for _, x := range a {
		i := slices.IndexFunc(b, func(y v1alpha1.GracefulEvictionTask) bool { return x.FromCluster == y.FromCluster })
		if i < 0 {
			return false
		}
		y := b[i]
		if !x.CreationTimestamp.Equal(&y.CreationTimestamp) || !x.CompletionTimestamp.Equal(y.CompletionTimestamp) {
			return false
		}
		x.CreationTimestamp, y.CreationTimestamp, x.CompletionTimestamp, y.CompletionTimestamp = metav1.Time{}, metav1.Time{}, nil, nil
		if !reflect.DeepEqual(x, y) {
			return false
		}
	}
	return true
}
