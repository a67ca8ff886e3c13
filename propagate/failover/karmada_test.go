package failover_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	members "github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/internal/golden"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate/dump"
	"github.com/accord-dev/accord/propagate/failover"
	"github.com/accord-dev/accord/propagate/previous"
	"github.com/accord-dev/accord/propagate/taint"
	"github.com/accord-dev/accord/status/readiness"
)

// ruleCase is the part "case" of a file: the facts at the beginning, and the changes after it, each merged into the facts as a JSON merge
// patch.
type ruleCase struct {
	For   string
	Facts map[string]any
	Then  []struct {
		At    string
		Facts map[string]any
	}
}

// facts are the observations that the decisions depend on. The plan is one of them: choice are the clusters of the active plan.
type facts struct {
	Failover v1alpha1.Failover
	Witness  string
	Clusters map[string]clusterFacts
	Objects  map[string]objectFacts
}

type clusterFacts struct {
	// Probe is ok, fails, or silent: the agent has not renewed its Lease for 40 s.
	Probe    string
	Taints   []corev1.Taint // declared
	Removing bool
}

// objectFacts are those of a Deployment with the policy of the same name in namespace shop.
type objectFacts struct {
	Choice   map[string]*int32
	NoPlace  string
	Stateful bool
	// Copies are Healthy, Unhealthy, Unknown, Gone or Outdated (healthy on an earlier version), by cluster.
	Copies map[string]string
	Held   map[string]string
	Status map[string]json.RawMessage
	// Run is the progress of a Job, by cluster.
	Run map[string]failover.Run
	// SuppressDeletion is set by a person in the task of a cluster.
	SuppressDeletion map[string]bool
}

// ruleRun applies the pure code to a case: the thresholds of Ready, the taints, and the decision about evictions.
type ruleRun struct {
	facts     facts
	policies  map[string]*policy.Policy
	taints    []policy.TaintPolicy
	now       time.Time
	probes    map[string]readiness.State
	status    map[string][]corev1.Taint
	tasks     map[string][]v1alpha1.GracefulEvictionTask
	unhealthy map[manifest.ID]map[string]time.Time
	again     time.Time
	shown     map[string]string
	out       strings.Builder
}

func deployment(name string) manifest.ID {
	return manifest.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: name}
}

// TestKarmadaRules runs the cases of testdata: one for each rule of section 5 of the Karmada specification, with the differences in the
// description. Every case is also run with a restart before each decision.
func TestKarmadaRules(t *testing.T) {
	golden.Run(t, "testdata/karmada_5.*.txtar", func(t *testing.T, g *golden.Case) {
		got := ruleTimeline(t, g, func(*ruleRun) {})
		g.Equal(t, "want", got)
		require.Equal(t, got, ruleTimeline(t, g, func(r *ruleRun) { r.tasks, r.unhealthy = written(t, r.tasks), rewritten(t, r.unhealthy) }), "restarted")
	})
}

// rewritten returns the times of unhealthy copies as the hub has them.
func rewritten(t *testing.T, all map[manifest.ID]map[string]time.Time) map[manifest.ID]map[string]time.Time {
	next := map[manifest.ID]map[string]time.Time{}
	for id, since := range all {
		next[id] = written(t, since)
	}
	return next
}

func ruleTimeline(t *testing.T, g *golden.Case, restart func(*ruleRun)) string {
	var c ruleCase
	require.NoError(t, yaml.UnmarshalStrict(g.Part("case"), &c))
	in, err := dump.Read(g.Text())
	require.NoError(t, err)
	r := &ruleRun{
		policies: map[string]*policy.Policy{}, taints: in.TaintPolicies, probes: map[string]readiness.State{}, status: map[string][]corev1.Taint{},
		tasks: map[string][]v1alpha1.GracefulEvictionTask{}, shown: map[string]string{},
	}
	for _, p := range in.Policies {
		r.policies[p.Name] = p
	}
	span := func(text string) time.Duration {
		d, err := time.ParseDuration(text)
		require.NoError(t, err)
		return d
	}
	now, end := c.Facts, span(c.For)
	for at := time.Duration(0); at <= end; at = r.next(at) {
		for len(c.Then) > 0 && span(c.Then[0].At) <= at {
			require.Equal(t, at, span(c.Then[0].At), "a change is at a probe, every ten seconds")
			merge(now, c.Then[0].Facts)
			c.Then = c.Then[1:]
		}
		text, err := json.Marshal(now)
		require.NoError(t, err)
		r.facts = facts{}
		require.NoError(t, yaml.UnmarshalStrict(text, &r.facts))
		r.now = after(at)
		restart(r)
		r.step(at)
	}
	return r.out.String()
}

// merge merges a patch into a value; null removes a field.
func merge(into, patch map[string]any) {
	for key, value := range patch {
		nested, isMap := value.(map[string]any)
		before, wasMap := into[key].(map[string]any)
		switch {
		case value == nil:
			delete(into, key)
		case isMap && wasMap:
			merge(before, nested)
		default:
			into[key] = value
		}
	}
}

// next returns the time of the next probe or decision.
func (r *ruleRun) next(at time.Duration) time.Duration {
	next := at.Truncate(10*time.Second) + 10*time.Second
	if !r.again.IsZero() && r.again.Before(after(next)) {
		next = r.again.Sub(begin)
	}
	return next
}

// show prints a line when it changes.
func (r *ruleRun) show(at time.Duration, key, line string) {
	if r.shown[key] != line {
		r.shown[key] = line
		fmt.Fprintf(&r.out, "%-7s %s\n", phrase.Duration(at), line)
	}
}

func (r *ruleRun) step(at time.Duration) {
	in := failover.Input{Now: r.now, Settings: failover.Configured(&r.facts.Failover), Witness: r.facts.Witness}
	for _, name := range slices.Sorted(maps.Keys(r.facts.Clusters)) {
		in.Clusters = append(in.Clusters, r.cluster(at, name))
	}
	for _, name := range slices.Sorted(maps.Keys(r.facts.Objects)) {
		in.Objects = append(in.Objects, r.object(name))
	}
	out := failover.Decide(in)
	r.unhealthy, r.again = out.UnhealthySince, out.Again
	for id, tasks := range out.Tasks {
		r.tasks[id.Name] = tasks
	}
	for _, e := range out.Events {
		r.show(at, e.ID.Name+e.Cluster, fmt.Sprintf("%s %s %s: %s", e.ID.Name, e.Cluster, e.Kind, e.Message))
		if e.Kind == failover.ClusterEvicting {
			fmt.Fprintf(&r.out, "        %s\n", describe(r.tasks[e.ID.Name][slices.IndexFunc(r.tasks[e.ID.Name], func(t v1alpha1.GracefulEvictionTask) bool { return t.FromCluster == e.Cluster })]))
		}
	}
	for _, b := range out.Blocked {
		r.show(at, b.ID.Name+b.Cluster, fmt.Sprintf("%s %s is not evicted: %s", b.ID.Name, b.Cluster, b.Reason))
	}
	for _, w := range out.Waiting {
		line := fmt.Sprintf("%s %s %s", w.ID.Name, w.Cluster, w.Message)
		if !w.Deadline.IsZero() {
			line += ", until " + phrase.Duration(w.Deadline.Sub(begin))
		}
		if !slices.ContainsFunc(out.Events, func(e failover.Event) bool { return e.ID == w.ID && e.Cluster == w.Cluster }) {
			r.show(at, w.ID.Name+w.Cluster, line)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.facts.Objects)) {
		if len(r.tasks[name]) == 0 && r.shown["tasks "+name] != "" {
			r.show(at, "tasks "+name, name+" has no task")
		} else if len(r.tasks[name]) > 0 {
			r.shown["tasks "+name] = "some"
		}
	}
}

// cluster probes and taints a cluster, as the controller of Clusters does.
func (r *ruleRun) cluster(at time.Duration, name string) failover.Cluster {
	c := r.facts.Clusters[name]
	if at%(10*time.Second) == 0 && c.Probe != "silent" {
		r.probes[name] = r.probes[name].After(readiness.Observation{Ready: c.Probe == "" || c.Probe == "ok", At: r.now}, readiness.Thresholds{
			Failure: readiness.DefaultThreshold, Success: readiness.DefaultThreshold,
		})
	}
	ready := map[bool]metav1.ConditionStatus{true: metav1.ConditionTrue, false: metav1.ConditionFalse}[r.probes[name].Ready]
	if c.Probe == "silent" {
		ready = metav1.ConditionUnknown
	}
	answers := c.Probe == "" || c.Probe == "ok"
	declared, before := taint.Timed(c.Taints, r.status[name+" declared"], r.now), r.status[name]
	r.status[name+" declared"] = declared
	decided := taint.Apply([]members.Cluster{{Name: name, Taints: taint.OfPolicies(before), Conditions: map[string]string{"Ready": string(ready)}}}, r.taints)[0].Taints
	r.status[name] = taint.Automatic(append(taint.Timed(decided, before, r.now), automaticOf(before)...), taint.Health{Ready: ready, Answers: answers, EvictionTimeout: 5 * time.Minute}, r.now)
	all := slices.Concat(declared, r.status[name])
	line := fmt.Sprintf("%s Ready=%s", name, ready)
	for _, t := range all {
		line += " " + strings.TrimPrefix(t.ToString(), "cluster.karmada.io/")
	}
	if at > 0 || len(all) > 0 {
		r.show(at, "cluster "+name, line)
	} else {
		r.shown["cluster "+name] = line
	}
	return failover.Cluster{Name: name, Unreachable: ready != metav1.ConditionTrue, Answers: answers, Taints: all, Removing: c.Removing}
}

func automaticOf(taints []corev1.Taint) []corev1.Taint {
	return slices.DeleteFunc(slices.Clone(taints), func(t corev1.Taint) bool { return !taint.IsAutomatic(t.Key) })
}

func (r *ruleRun) object(name string) failover.Object {
	f := r.facts.Objects[name]
	o := failover.Object{ID: deployment(name), Policy: r.policies[name], NoPlace: f.NoPlace, Stateful: f.Stateful, UnhealthySince: r.unhealthy[deployment(name)]}
	for _, t := range r.tasks[name] {
		if lifted, set := f.SuppressDeletion[t.FromCluster]; set {
			t.SuppressDeletion = new(lifted)
		}
		o.Tasks = append(o.Tasks, t)
	}
	for _, cluster := range slices.Sorted(maps.Keys(f.Choice)) {
		o.Choice = append(o.Choice, previous.Cluster{Name: cluster, Replicas: f.Choice[cluster]})
	}
	for _, cluster := range slices.Sorted(maps.Keys(f.Copies)) {
		c := failover.Copy{Cluster: cluster, Health: failover.Health(f.Copies[cluster]), Current: true, Held: f.Held[cluster], Status: f.Status[cluster], Run: f.Run[cluster]}
		switch f.Copies[cluster] {
		case "Gone":
			c.Health, c.Gone = failover.Unknown, true
		case "Outdated":
			c.Health, c.Current = failover.Healthy, false
		}
		o.Copies = append(o.Copies, c)
	}
	return o
}

// describe returns the fields of a task.
func describe(t v1alpha1.GracefulEvictionTask) string {
	parts := []string{string(t.PurgeMode), t.Reason + " by " + t.Producer}
	if t.Replicas != nil {
		parts = append(parts, fmt.Sprintf("replicas %d", *t.Replicas))
	}
	if t.GracePeriodSeconds != nil {
		parts = append(parts, fmt.Sprintf("gracePeriodSeconds %d", *t.GracePeriodSeconds))
	}
	if t.SuppressDeletion != nil {
		parts = append(parts, fmt.Sprintf("suppressDeletion %t", *t.SuppressDeletion))
	}
	parts = append(parts, "clustersBeforeFailover "+strings.Join(t.ClustersBeforeFailover, " "))
	for _, key := range slices.Sorted(maps.Keys(t.PreservedLabelState)) {
		parts = append(parts, fmt.Sprintf("preservedLabelState %s=%s", key, t.PreservedLabelState[key]))
	}
	return strings.Join(parts, ", ")
}
