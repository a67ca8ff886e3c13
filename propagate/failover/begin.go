package failover

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/phrase"
)

// WaitsForTurn is the beginning of the reason of an eviction that the rate delays.
const WaitsForTurn = "waits for its turn"

// candidate is an eviction whose time has come.
type candidate struct {
	object  int // index
	cluster string
	why     cause
}

// causes adds the evictions of an object whose time has come, and remembers the times of the others. tasks are those after settle.
func (d *decider) causes(object int, tasks []v1alpha1.GracefulEvictionTask) {
	o := d.objects[object]
	for _, choice := range o.Choice {
		c := d.clusters[choice.Name]
		if c == nil || slices.ContainsFunc(tasks, func(t v1alpha1.GracefulEvictionTask) bool { return t.FromCluster == c.Name && t.Open() }) {
			continue
		}
		why, found := d.cause(o, c)
		switch {
		case !found:
		case why.due.After(d.now):
			d.lookAgain(why.due)
		default:
			d.candidates = append(d.candidates, candidate{object, c.Name, why})
		}
	}
}

// begin opens a task for each candidate that nothing blocks, the longest overdue first, as far as the rate allows.
func (d *decider) begin(tasks [][]v1alpha1.GracefulEvictionTask) {
	slices.SortFunc(d.candidates, func(a, b candidate) int {
		return cmp.Or(a.why.due.Compare(b.why.due), d.objects[a.object].ID.Compare(d.objects[b.object].ID), strings.Compare(a.cluster, b.cluster))
	})
	rate := newBucket(d.in.Settings.EvictionRate)
	rate.fill(d.creations(), d.now)
	for _, c := range d.candidates {
		o := d.objects[c.object]
		task, why, until := d.task(o, c, tasks[c.object])
		if why == "" {
			var ok bool
			if ok, until = rate.take(d.stamp); !ok {
				why = fmt.Sprintf("%s: %s", WaitsForTurn, atMost(d.in.Settings.EvictionRate))
			}
		}
		if why != "" {
			d.out.Blocked = append(d.out.Blocked, Blocked{
				ID: o.ID, Cluster: c.cluster, Message: c.why.message + "; " + why, Reason: why, Needless: o.copyOn(c.cluster).Run == Finished,
			})
			d.lookAgain(until)
			continue
		}
		tasks[c.object] = append(without(tasks[c.object], c.cluster), task)
		d.out.Waiting = append(d.out.Waiting, Waiting{ID: o.ID, Cluster: c.cluster, Message: notPlanned})
		d.event(ClusterEvicting, o, c.cluster, c.why.message)
	}
}

// without returns the tasks but that of a cluster.
func without(tasks []v1alpha1.GracefulEvictionTask, cluster string) []v1alpha1.GracefulEvictionTask {
	return slices.DeleteFunc(tasks, func(t v1alpha1.GracefulEvictionTask) bool { return t.FromCluster == cluster })
}

// creations returns the times at which the tasks of the input began.
func (d *decider) creations() []time.Time {
	var all []time.Time
	for _, o := range d.objects {
		for _, t := range o.Tasks {
			all = append(all, t.CreationTimestamp.Time)
		}
	}
	return all
}

// task returns the task of a candidate, or the reason why it must not begin, and the time until which the reason holds, if it has one.
func (d *decider) task(o *Object, c candidate, tasks []v1alpha1.GracefulEvictionTask) (t v1alpha1.GracefulEvictionTask, blocked string, until time.Time) {
	held, choice := o.copyOn(c.cluster), c.cluster
	switch {
	case d.out.Doubt != "":
		return t, d.out.Doubt, until
	case held.Held != "":
		return t, "the object is held: " + held.Held, until
	case o.Stateful && !d.in.Settings.Stateful:
		return t, "it is a StatefulSet or has PersistentVolumeClaims, and spec.failover.stateful of the Federation is false", until
	case held.Run == Finished && c.why.producer != ApplicationFailover:
		return t, "it has finished, and would run again on another cluster", until
	case held.Run == Unseen:
		return t, "it may have finished, and would run again on another cluster: accord has not observed it since its start", until
	case c.why.automatic && d.answers(choice):
		return t, fmt.Sprintf("%s answers again, and becomes Ready", choice), until
	case c.why.purge == v1alpha1.PurgeDirectly && !d.answers(choice):
		return t, fmt.Sprintf("purgeMode Directly deletes the old copy first, and %s does not answer", choice), until
	}
	if i := slices.IndexFunc(tasks, func(t v1alpha1.GracefulEvictionTask) bool { return t.FromCluster == choice }); i >= 0 && c.why.producer != ClusterRemoval {
		if until = tasks[i].CompletionTimestamp.Add(d.in.Settings.Cooldown); until.After(d.now) {
			return t, fmt.Sprintf("an eviction from %s ended at %s, and the cooldown lasts %s", choice, clock(tasks[i].CompletionTimestamp.Time), phrase.Duration(d.in.Settings.Cooldown)), until
		}
	}
	labels, err := preserved(c.why.keep, held.Status)
	if err != nil {
		return t, "cannot preserve the state: " + err.Error(), time.Time{}
	}
	t = v1alpha1.GracefulEvictionTask{
		FromCluster: choice, PurgeMode: c.why.purge, Reason: c.why.reason, Message: c.why.message, Producer: c.why.producer, GracePeriodSeconds: c.why.grace,
		CreationTimestamp: metav1.NewTime(d.stamp), PreservedLabelState: labels,
	}
	if c.why.purge == v1alpha1.PurgeNever {
		t.SuppressDeletion = new(true)
	}
	for _, before := range o.Choice {
		t.ClustersBeforeFailover = append(t.ClustersBeforeFailover, before.Name)
		if before.Name == choice {
			t.Replicas = before.Replicas
		}
	}
	slices.Sort(t.ClustersBeforeFailover)
	return t, "", time.Time{}
}

// clock returns a time as messages have it.
func clock(t time.Time) string { return t.UTC().Format(time.RFC3339) }
