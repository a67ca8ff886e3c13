package failover_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/failover"
	"github.com/accord-dev/accord/propagate/previous"
	"github.com/accord-dev/accord/propagate/taint"
)

// model is a fleet with members, a placement and a deliverer, each reduced to the rules that failover relies on.
type model struct {
	random   *rand.Rand
	now      time.Time
	settings failover.Settings
	members  []*member
	objects  []*placed
	witness  string
	// enabled is false for the twin without failover.
	out failover.Outcome
}

// member is one cluster.
type member struct {
	name    string
	outages []outage
	taints  []corev1.Taint
	// changed is the time at which the cluster began or ceased to answer.
	changed        time.Time
	answers, ready bool
}

// outage is a time in which a cluster does not answer; its pods run on unless it is total.
type outage struct {
	from, to time.Time
	total    bool
}

// placed is one object.
type placed struct {
	id        manifest.ID
	policy    *policy.Policy
	stateful  bool
	suspended string
	allowed   []string // clusters that the policy selects, in order of preference
	spread    int      // clusters at most; 0 for all
	total     int32    // replicas to divide; 0 for a Duplicated object
	choice    []previous.Cluster
	noPlace   string
	tasks     []v1alpha1.GracefulEvictionTask
	unhealthy map[string]time.Time
	copies    map[string]*running
	// startup is the time from the start of a copy until it is healthy.
	startup time.Duration
	// breaks are the clusters and times at which the copy is unhealthy.
	breaks map[string]outage
}

// running is a copy on a member.
type running struct {
	replicas, available int32
	since               time.Time // of the latest change
}

// inside reports whether a time is in an outage.
func (o outage) inside(at time.Time) bool { return !at.Before(o.from) && at.Before(o.to) }

const (
	threshold       = 30 * time.Second
	evictionTimeout = time.Minute
)

// probe updates the health and the taints of a member, as package readiness and the member controller do.
func (m *model) probe(c *member) {
	answers := !slices.ContainsFunc(c.outages, func(o outage) bool { return o.inside(m.now) })
	if answers != c.answers {
		c.answers, c.changed = answers, m.now
	}
	if c.answers != c.ready && m.now.Sub(c.changed) >= threshold {
		c.ready = c.answers
	}
	h := taint.Health{Ready: metav1.ConditionTrue, Answers: c.answers, EvictionTimeout: evictionTimeout}
	if !c.ready {
		h.Ready = metav1.ConditionFalse
	}
	c.taints = taint.Automatic(c.taints, h, m.now)
}

func (m *model) member(name string) *member {
	return m.members[slices.IndexFunc(m.members, func(c *member) bool { return c.name == name })]
}

// dead reports whether no pod runs on a member.
func (m *model) dead(name string) bool {
	return slices.ContainsFunc(m.member(name).outages, func(o outage) bool { return o.total && o.inside(m.now) })
}

// plan chooses clusters as the planner does with eviction tasks.
func (m *model) plan(o *placed) {
	before, task := map[string]*int32{}, map[string]v1alpha1.GracefulEvictionTask{}
	for _, c := range o.choice {
		before[c.Name] = c.Replicas
	}
	for _, t := range o.tasks {
		task[t.FromCluster] = t
		if t.Cancelled && before[t.FromCluster] == nil && !m.on(o, t.FromCluster) {
			before[t.FromCluster] = t.Replicas
			for name := range before {
				if !slices.Contains(t.ClustersBeforeFailover, name) {
					delete(before, name)
				}
			}
		}
	}
	pick := func(last bool) []string {
		var stay, fresh []string
		for _, name := range o.allowed {
			t, has := task[name]
			_, was := before[name]
			switch {
			case has && t.Open():
			case was:
				stay = append(stay, name)
			case has && !t.Cancelled && !last, m.repels(name):
			default:
				fresh = append(fresh, name)
			}
		}
		all := append(stay, fresh...)
		if o.total > 0 && len(stay) > 0 && len(stay) == len(before) {
			return stay // as divided before
		}
		if o.spread > 0 && len(all) > o.spread {
			all = all[:o.spread]
		}
		return all
	}
	names := pick(false)
	if len(names) == 0 {
		names = pick(true)
	}
	if o.noPlace = ""; len(names) == 0 {
		o.noPlace = "no cluster fits"
		return
	}
	slices.Sort(names)
	var choice []previous.Cluster
	var sum int32
	for _, name := range names {
		choice = append(choice, previous.Cluster{Name: name, Replicas: new(int32(3))})
		if o.total > 0 {
			choice[len(choice)-1].Replicas = new(int32(0))
			if r := before[name]; r != nil {
				*choice[len(choice)-1].Replicas = *r
			}
		}
		sum += *choice[len(choice)-1].Replicas
	}
	for i := 0; o.total > 0 && sum < o.total; i, sum = i+1, sum+1 {
		*choice[i%len(choice)].Replicas++
	}
	o.choice = choice
}

func (m *model) on(o *placed, cluster string) bool {
	return slices.ContainsFunc(o.choice, func(c previous.Cluster) bool { return c.Name == cluster })
}

func (m *model) repels(cluster string) bool { return len(m.member(cluster).taints) > 0 }

// deliver applies and deletes on the members that answer, and lets the copies become healthy.
func (m *model) deliver(o *placed) {
	direct := slices.ContainsFunc(o.tasks, func(t v1alpha1.GracefulEvictionTask) bool { return t.Open() && t.PurgeMode == v1alpha1.PurgeDirectly })
	kept := func(name string) bool {
		return slices.ContainsFunc(o.tasks, func(t v1alpha1.GracefulEvictionTask) bool {
			return t.FromCluster == name && t.Open() && t.PurgeMode != v1alpha1.PurgeDirectly
		})
	}
	for _, c := range m.members {
		run := o.copies[c.name]
		if c.answers {
			i := slices.IndexFunc(o.choice, func(x previous.Cluster) bool { return x.Name == c.name })
			switch {
			case i < 0 && run != nil && !kept(c.name):
				delete(o.copies, c.name)
			case i >= 0 && run == nil && !direct:
				o.copies[c.name] = &running{replicas: *o.choice[i].Replicas, since: m.now}
			case i >= 0 && run != nil && run.replicas != *o.choice[i].Replicas:
				run.replicas, run.available, run.since = *o.choice[i].Replicas, min(run.available, *o.choice[i].Replicas), m.now
			}
		}
		if run = o.copies[c.name]; run == nil {
			continue
		}
		switch {
		case m.dead(c.name):
			run.available, run.since = 0, m.now
		case o.breaks[c.name].inside(m.now):
			run.available, run.since = 0, m.now
		case m.now.Sub(run.since) >= o.startup:
			run.available = run.replicas
		}
	}
}

// available returns the healthy replicas of an object on all members.
func (o *placed) available() (sum int32) {
	for _, r := range o.copies {
		sum += r.available
	}
	return sum
}

// input returns what accord observes.
func (m *model) input() failover.Input {
	in := failover.Input{Now: m.now, Settings: m.settings, Witness: m.witness}
	for _, c := range m.members {
		in.Clusters = append(in.Clusters, failover.Cluster{Name: c.name, Unreachable: !c.ready, Answers: c.answers, Taints: c.taints})
	}
	for _, o := range m.objects {
		x := failover.Object{
			ID: o.id, Policy: o.policy, Choice: o.choice, NoPlace: o.noPlace, Stateful: o.stateful, Tasks: slices.Clone(o.tasks), UnhealthySince: o.unhealthy,
		}
		for _, c := range m.members {
			observed := failover.Copy{Cluster: c.name, Health: failover.Unknown, Held: o.suspended}
			if run := o.copies[c.name]; c.answers {
				observed.Gone = run == nil
				if run != nil {
					observed.Health, observed.Current = failover.Unhealthy, true
					if run.available == run.replicas {
						observed.Health = failover.Healthy
					}
					if i := slices.IndexFunc(o.choice, func(x previous.Cluster) bool { return x.Name == c.name }); i >= 0 {
						observed.Current = run.replicas == *o.choice[i].Replicas
					}
				}
			}
			x.Copies = append(x.Copies, observed)
		}
		in.Objects = append(in.Objects, x)
	}
	return in
}

// step moves the model by a time: probes, decision, plan, delivery.
func (m *model) step(d time.Duration) failover.Input {
	m.now = m.now.Add(d)
	for _, c := range m.members {
		m.probe(c)
	}
	in := m.input()
	m.out = failover.Decide(in)
	for _, o := range m.objects {
		if tasks, changed := m.out.Tasks[o.id]; changed {
			o.tasks = tasks
		}
		o.unhealthy = m.out.UnhealthySince[o.id]
		m.plan(o)
		m.deliver(o)
	}
	return in
}

// newModel returns a healthy fleet with random objects.
func newModel(random *rand.Rand, clusters, objects int) *model {
	m := &model{random: random, now: begin, settings: failover.Defaults()}
	m.settings.Enabled, m.settings.MaxUnreachable = true, []int{30, 50, 100}[random.IntN(3)]
	m.settings.EvictionRate = []float64{0.01, 0.1, 0.5, 1, 3}[random.IntN(5)]
	m.settings.Cooldown = time.Duration(random.IntN(60)) * time.Minute
	var names []string
	for i := range clusters {
		names = append(names, fmt.Sprintf("c%d", i+1))
		m.members = append(m.members, &member{name: names[i], answers: true, ready: true, changed: begin})
	}
	for i := range objects {
		o := &placed{
			id: manifest.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: fmt.Sprintf("web-%d", i)}, policy: failing(),
			copies: map[string]*running{}, startup: time.Duration(10+random.IntN(230)) * time.Second, breaks: map[string]outage{},
		}
		for _, n := range random.Perm(clusters)[:1+random.IntN(clusters)] {
			o.allowed = append(o.allowed, names[n])
		}
		if o.spread = random.IntN(3); random.IntN(2) == 0 {
			o.total = 1 + random.Int32N(9)
			o.policy.Spec.Placement.ReplicaScheduling = &policy.ReplicaScheduling{ReplicaSchedulingType: policy.Divided}
		}
		m.objects = append(m.objects, o)
		m.plan(o)
		for _, c := range o.choice {
			o.copies[c.Name] = &running{replicas: *c.Replicas, available: *c.Replicas, since: begin.Add(-time.Hour)}
		}
	}
	return m
}

// outages makes a member fail at random times until an end, each time for longest at most.
func (m *model) outages(c *member, end, longest time.Duration) {
	for at := time.Duration(m.random.IntN(600)) * time.Second; at < end; {
		length := 20*time.Second + time.Duration(m.random.Int64N(int64(longest)))
		if at+length > end {
			return
		}
		c.outages = append(c.outages, outage{after(at), after(at + length), m.random.IntN(2) == 0})
		at += length + time.Duration(20+m.random.IntN(1800))*time.Second
	}
}
