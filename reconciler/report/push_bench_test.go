package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/dump"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/state/activation"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/state/delivery"
	"github.com/accord-dev/accord/reconciler/state/record"
	"github.com/accord-dev/accord/render"
	"github.com/accord-dev/accord/status"
	"github.com/accord-dev/accord/status/kind"
)

// BenchmarkPush is one push that changes one of many objects on two clusters, from the activation of its plan to the last
// status; planning and the requests to members and hub are left out.
func BenchmarkPush(b *testing.B) {
	for _, objects := range []int{600, 6000} {
		b.Run(fmt.Sprintf("objects=%d", objects), func(b *testing.B) {
			p := newPushes(b, objects)
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				b.StopTimer()
				plan := p.change(i)
				plan.Digest()
				for _, name := range plan.Clusters() {
					plan.ClusterDigest(name)
				}
				b.StartTimer()
				p.push(plan, fmt.Sprint(i))
			}
		})
	}
}

// pushes is a Federation whose objects are all on two clusters.
type pushes struct {
	*persisted
	in    propagate.Input
	plan  *propagate.Plan
	whole bool // every plan is persisted as if it were the first one
}

func newPushes(t testing.TB, objects int) *pushes {
	var text strings.Builder
	text.WriteString("-- input --\nfederation: demo/prod\n-- all.yaml --\n")
	for i := range objects {
		fmt.Fprintf(&text, "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: settings-%05d, namespace: shop-%d}, data: {v: \"1\"}}\n", i, i%20)
	}
	text.WriteString("---\n{apiVersion: policy.karmada.io/v1alpha1, kind: ClusterPropagationPolicy, metadata: {name: p}, " +
		"spec: {resourceSelectors: [{apiVersion: v1, kind: ConfigMap}], placement: {}}}\n" +
		"---\n{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: asia}}\n" +
		"---\n{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: eu}}\n")
	in, err := dump.Read([]byte(text.String()))
	require.NoError(t, err)
	p := &pushes{persisted: persistTo(t), in: in}
	p.plan, err = propagate.New(in)
	require.NoError(t, err)
	p.push(p.plan, "cold")
	return p
}

// change returns the next plan, in which one object has another content.
func (p *pushes) change(i int) *propagate.Plan {
	at := i % (len(p.in.Objects) - 1)
	u := p.in.Objects[at].Manifest.Get().DeepCopy()
	require.NoError(p, unstructured.SetNestedField(u.Object, fmt.Sprint("v", i), "data", "v"))
	p.in.Objects[at] = render.Object{Manifest: manifest.Whole(u), Written: &render.Written{Origin: p.in.Objects[at].Origin}}
	p.in.Previous = p.plan.Previous()
	next, err := p.plan.Next(p.in)
	require.NoError(p, err)
	p.plan = next
	return next
}

// push activates a plan, delivers it and writes all statuses that follow.
func (p *pushes) push(plan *propagate.Plan, revision string) {
	release := &v1alpha1.Release{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "prod-" + revision}}
	activated := p.f.Activate(activation.Request{Plan: plan, Revision: revision, Release: release}, time.Now())
	if p.whole {
		activated.Carried = record.Carried{}
	}
	u, err := p.reporter.Persist(p.Context(), p.f, activated.Carried)
	require.NoError(p, err)
	c := p.f.Persisted(u, activated.Touched, time.Now())
	for _, name := range []string{"asia", "eu"} {
		c.Add(p.deliverTo(name))
	}
	p.write(c)
	require.NoError(p, p.reporter.WriteRelease(p.Context(), p.f))
	require.NoError(p, p.reporter.Supersede(p.Context(), p.f))
}

// deliverTo makes a cluster have the objects that it lacks.
func (p *pushes) deliverTo(name string) (c changes.Changes) {
	job, begun := p.f.Begin(name, func() {})
	require.True(p, begun)
	c.Add(p.f.Listed(job, job.Kinds()))
	_, difference, _ := p.f.Live(job, time.Now())
	answers := map[manifest.ID]live.Answer{}
	inventory := slices.Clone(job.Inventory.Entries())
	for _, o := range difference.Due {
		base, known := p.f.Base(name, o.ID)
		require.True(p, known)
		more, recorded := p.f.Observe(name, o.ID, state.Observation{
			Base: base, Seen: live.Object{GVK: o.GVK, Digest: o.Digest, Intact: true}, Report: status.Report{Digest: o.Digest, Health: kind.Healthy},
		}, time.Now())
		require.True(p, recorded)
		c.Add(more)
		answers[o.ID] = live.Answer{}
		if !job.Inventory.Has(o.ID) {
			inventory = append(inventory, o.ID.Entry())
		}
	}
	slices.Sort(inventory)
	c.Add(p.f.Conclude(job, delivery.Result{Answers: answers, Inventory: inventory}, time.Now()))
	return c
}

// write writes the statuses that changes ask for, and those that follow, once each.
func (p *pushes) write(c changes.Changes) {
	due := map[changes.Status]bool{}
	for _, u := range c.Updates {
		due[u.Status] = true
	}
	for s := range due {
		switch {
		case s.Object != manifest.ID{}:
			require.NoError(p, p.reporter.WriteObject(p.Context(), p.f, s.Object))
		case s.Cluster != "":
			p.reporter.ComputeDelivery(p.f, s.Cluster)
			require.NoError(p, p.reporter.WriteDelivery(p.Context(), p.f, s.Cluster))
		}
	}
}
