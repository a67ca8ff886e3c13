package failover

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate/previous"
)

// notPlanned is the wait of a task that no plan knows yet.
const notPlanned = "waits until the plan without the cluster is active"

// WaitsForPlace is the beginning of the message of a task that found no other cluster.
const WaitsForPlace = "waits for another cluster: "

// WaitsForPerson is the message of a task that keeps the old copy after its replacement.
const WaitsForPerson = "keeps the old copy until suppressDeletion of the task is false"

// SourceIsSilent is the end of the message of a task that waits for nothing but an answer of the cluster that the object left.
const SourceIsSilent = "does not answer, so accord cannot delete its copy"

// namedClusters is the number of clusters that a message names before it counts the others.
const namedClusters = 3

// settle returns the tasks of an object after this decision, without those that begin now.
func (d *decider) settle(o *Object) []v1alpha1.GracefulEvictionTask {
	if o.Policy == nil {
		return nil // nothing places the object: nothing moves
	}
	var left []v1alpha1.GracefulEvictionTask
	for _, t := range o.Tasks {
		if t.Open() {
			left = append(left, d.advance(o, t))
		} else if !d.forgotten(o, t) {
			left = append(left, t)
		}
	}
	return left
}

// forgotten reports whether a task that ended is dropped: its cooldown is over, the rate no longer counts it, its cause has ended, and
// the cluster can take the object again.
func (d *decider) forgotten(o *Object, t v1alpha1.GracefulEvictionTask) bool {
	length, _ := window(d.in.Settings.EvictionRate)
	over := t.CompletionTimestamp.Add(d.in.Settings.Cooldown)
	if counted := t.CreationTimestamp.Add(length); counted.After(over) {
		over = counted
	}
	if over.After(d.now) {
		d.lookAgain(over)
		return false
	}
	c := d.clusters[t.FromCluster]
	return d.out.Doubt == "" && !d.persists(o, t) && (c == nil || c.Answers && !c.Unreachable)
}

// advance completes or cancels an open task, or reports the event that it waits for.
func (d *decider) advance(o *Object, t v1alpha1.GracefulEvictionTask) v1alpha1.GracefulEvictionTask {
	s := d.next(o, t)
	switch s.end {
	case completes:
		t.CompletionTimestamp = new(metav1.NewTime(d.stamp))
		d.event(ClusterEvicted, o, t.FromCluster, s.message)
	case cancels:
		t.CompletionTimestamp, t.Cancelled = new(metav1.NewTime(d.stamp)), true
		d.event(EvictionCancelled, o, t.FromCluster, s.message)
	default:
		d.out.Waiting = append(d.out.Waiting, Waiting{ID: o.ID, Cluster: t.FromCluster, Message: s.message, Deadline: s.deadline})
		d.lookAgain(s.deadline)
		return t
	}
	d.lookAgain(d.now.Add(d.in.Settings.Cooldown))
	return t
}

// step is the next step of an open task.
type step struct {
	end      ending
	message  string
	deadline time.Time
}

// ending is the end of an open task, if it ends now.
type ending int

const (
	waits ending = iota
	completes
	cancels
)

func wait(format string, args ...any) step { return step{message: fmt.Sprintf(format, args...)} }

// next returns the next step of an open task.
func (d *decider) next(o *Object, t v1alpha1.GracefulEvictionTask) step {
	source, old := d.clusters[t.FromCluster], o.copyOn(t.FromCluster)
	_, stays := o.chosen(t.FromCluster)
	ended := t.Producer != ApplicationFailover && !d.persists(o, t)
	switch {
	case d.out.Doubt != "":
		return wait("%s", d.out.Doubt)
	case stays && ended:
		return step{end: cancels, message: fmt.Sprintf("the cause of the eviction has ended, and the object has not left %s", t.FromCluster)}
	case stays && t.Producer == ApplicationFailover && old.Health == Healthy && d.answers(t.FromCluster):
		return step{end: cancels, message: fmt.Sprintf("the object is healthy again, and has not left %s", t.FromCluster)}
	case stays && o.NoPlace != "":
		return wait("%s%s", WaitsForPlace, o.NoPlace)
	case stays:
		return wait(notPlanned)
	case source == nil:
		return step{end: completes, message: fmt.Sprintf("cluster %s no longer exists", t.FromCluster)}
	case old.Gone:
		return step{end: completes, message: fmt.Sprintf("%s no longer has the copy", t.FromCluster)}
	case old.Held != "":
		return wait("%s is held: %s", t.FromCluster, old.Held)
	case t.PurgeMode == v1alpha1.PurgeDirectly && !source.Answers:
		return wait("%s %s", t.FromCluster, SourceIsSilent)
	case t.PurgeMode == v1alpha1.PurgeDirectly:
		return wait("waits until %s has deleted its copy", t.FromCluster)
	}
	return d.handOver(o, t, ended)
}

// handOver returns the next step of a task whose old copy stays until a replacement is healthy.
func (d *decider) handOver(o *Object, t v1alpha1.GracefulEvictionTask, ended bool) step {
	all, healthy := d.healthy(o, running(o.Choice))
	others := replacements(o, t)
	missing, taken := d.healthy(o, others)
	replaced := len(taken) > 0 && (!o.shares(t) || replicas(taken) > replicas(o.Choice)-*t.Replicas)
	every, some := len(healthy) > 0 && len(all) == 0, replaced || len(others) == 0 && len(healthy) > 0
	grace, old := d.grace(t), o.copyOn(t.FromCluster)
	switch {
	case ended && !replaced:
		return step{end: cancels, message: "the cause of the eviction has ended, and no replacement is healthy"}
	case t.Producer == ApplicationFailover && len(others) == 0 && len(o.Choice) > 0: // the copy may recover
		return step{end: cancels, message: "no other cluster takes over, and the object keeps its unhealthy copy"}
	case t.Producer == ApplicationFailover && !replaced && !grace.After(d.now) && old.Health == Healthy && d.answers(t.FromCluster):
		return step{end: cancels, message: "the old copy is healthy again, and no replacement is"}
	case t.SuppressDeletion != nil && *t.SuppressDeletion:
		return wait(WaitsForPerson)
	case len(others) == 0 && d.automatic(o, t):
		return wait("no other cluster takes over; the object stays if %s becomes Ready", t.FromCluster)
	case !d.answers(t.FromCluster) && (every || some && (t.SuppressDeletion != nil || !grace.After(d.now))):
		return wait("the object is healthy on %s; %s %s", names(healthy), t.FromCluster, SourceIsSilent)
	case every:
		return step{end: completes, message: fmt.Sprintf("the object is healthy on %s", names(running(o.Choice)))}
	case some && t.SuppressDeletion != nil:
		return step{end: completes, message: "a person allowed the deletion, and a replacement is healthy"}
	case some && !grace.After(d.now):
		return step{end: completes, message: fmt.Sprintf("the grace period is over, and the object is not healthy on %s", phrase.List(all, namedClusters))}
	case len(o.Choice) == 0:
		return wait("%sno cluster is chosen", WaitsForPlace)
	case some:
		return step{message: fmt.Sprintf("waits until the object is healthy on %s", phrase.List(all, namedClusters)), deadline: grace}
	case len(missing) > 0:
		all = missing
	}
	s := wait("waits until the object is healthy on %s", phrase.List(all, namedClusters))
	if t.Producer == ApplicationFailover && grace.After(d.now) { // then a healthy old copy cancels the eviction
		s.deadline = grace
	}
	return s
}

// grace returns the end of the grace period of a task.
func (d *decider) grace(t v1alpha1.GracefulEvictionTask) time.Time {
	length := d.in.Settings.GracefulEvictionTimeout
	if t.GracePeriodSeconds != nil {
		length = time.Duration(*t.GracePeriodSeconds) * time.Second
	}
	return t.CreationTimestamp.UTC().Add(length)
}

// replacements returns the clusters that can have taken over from the cluster of a task. If the clusters share the replicas, that are all
// of the choice; otherwise those that did not have the object before.
func replacements(o *Object, t v1alpha1.GracefulEvictionTask) []previous.Cluster {
	all := running(o.Choice)
	if o.shares(t) {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(c previous.Cluster) bool { return slices.Contains(t.ClustersBeforeFailover, c.Name) })
}

// shares reports whether other clusters get the replicas of a task: the clusters that did not get any of them then have no more than the
// others of the choice had before.
func (o *Object) shares(t v1alpha1.GracefulEvictionTask) bool {
	s := o.Policy.Spec.Placement.ReplicaScheduling
	return t.Replicas != nil && *t.Replicas > 0 && s != nil && s.ReplicaSchedulingType == policy.Divided
}

func replicas(on []previous.Cluster) (sum int32) {
	for _, c := range on {
		if c.Replicas != nil {
			sum += *c.Replicas
		}
	}
	return sum
}

// running returns the clusters of a choice that have replicas; all of them if none has any.
func running(choice []previous.Cluster) []previous.Cluster {
	some := slices.DeleteFunc(slices.Clone(choice), func(c previous.Cluster) bool { return c.Replicas != nil && *c.Replicas == 0 })
	if len(some) == 0 {
		return choice
	}
	return some
}

// healthy returns the clusters on which the object is healthy on the wanted version, and the sorted names of the others.
func (d *decider) healthy(o *Object, on []previous.Cluster) (not []string, healthy []previous.Cluster) {
	for _, c := range on {
		if copied := o.copyOn(c.Name); copied.Health == Healthy && copied.Current && d.answers(c.Name) {
			healthy = append(healthy, c)
		} else {
			not = append(not, c.Name)
		}
	}
	slices.Sort(not)
	return not, healthy
}

func names(on []previous.Cluster) string {
	var all []string
	for _, c := range on {
		all = append(all, c.Name)
	}
	slices.Sort(all)
	return phrase.And(all, namedClusters)
}
