package state

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiluuid "k8s.io/apimachinery/pkg/util/uuid"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/dump"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/reconciler/state/activation"
	"github.com/accord-dev/accord/reconciler/state/delivery"
	"github.com/accord-dev/accord/reconciler/state/reachability"
	"github.com/accord-dev/accord/reconciler/store/fingerprint"
	"github.com/accord-dev/accord/status"
	"github.com/accord-dev/accord/status/interpret"
)

// BenchmarkPair says how many bytes of heap one more object on one more cluster takes, and what of it is the plan, the
// plan as it is in force, what the watches tell, and what deliveries leave. The difference between many clusters and few
// is divided by the difference in pairs, so what is kept once for an object is not in it.
func BenchmarkPair(b *testing.B) {
	const objects, few, many = 100, 10, 110
	var less, more heap
	for b.Loop() {
		less, more = fill(b, objects, few), fill(b, objects, many)
	}
	pairs := float64(objects * (many - few))
	total := 0.0
	for i, part := range parts {
		bytes := float64(more[i]-less[i]) / pairs
		total += bytes
		b.ReportMetric(bytes, "B/pair-"+part)
	}
	b.ReportMetric(total, "B/pair")
}

// parts of the heap, in the order in which they are filled.
var parts = [...]string{"planned", "adopted", "watched", "delivered", "planned-again"}

// heap is how many bytes each of the parts added.
type heap [len(parts)]int64

// fill has a federation of so many Deployments on so many clusters, each with all that is kept when it was delivered and rests.
func fill(t testing.TB, objects, members int) heap {
	s := newScale(t, objects, members)
	var all heap
	last := s.inUse()
	for i, step := range []func(){s.plans, s.adopts, s.watches, s.delivers, s.plansAgain} {
		step()
		now := s.inUse()
		all[i], last = now-last, now
	}
	runtime.KeepAlive(s)
	return all
}

// scale is a federation without clusters that could be asked anything: what they have is made up.
type scale struct {
	t        testing.TB
	in       propagate.Input
	plan     *propagate.Plan
	f        *Federation
	clusters []string
}

func newScale(t testing.TB, objects, members int) *scale {
	t.Helper()
	in, err := dump.Read([]byte(manyDeployments(objects, members)))
	require.NoError(t, err)
	registry := NewRegistry(reachability.NewTracker())
	f := New(&v1alpha1.Federation{ObjectMeta: metav1.ObjectMeta{Namespace: "fleet", Name: "prod"}}, registry, fingerprint.New(nil, true))
	registry.Add(f)
	return &scale{t: t, in: in, f: f}
}

// manyDeployments is the repository: half of the clusters get another registry.
func manyDeployments(objects, members int) string {
	var b strings.Builder
	b.WriteString("-- input --\nfederation: fleet/prod\n-- all.yaml --\n")
	for i := range objects {
		fmt.Fprintf(&b, `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: deployment-%[1]d, namespace: default, labels: {app: d%[1]d, team: shop}}
spec:
  replicas: 3
  selector: {matchLabels: {app: d%[1]d}}
  template:
    metadata: {labels: {app: d%[1]d}}
    spec: {containers: [{name: main, image: "registry.example.com/shop/d%[1]d:1.0"}]}
`, i)
	}
	b.WriteString(`---
apiVersion: policy.karmada.io/v1alpha1
kind: ClusterPropagationPolicy
metadata: {name: all}
spec: {resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]}
---
apiVersion: policy.karmada.io/v1alpha1
kind: ClusterOverridePolicy
metadata: {name: mirror}
spec:
  overrideRules:
  - targetCluster: {fieldSelector: {matchExpressions: [{key: region, operator: In, values: [r1]}]}}
    overriders: {imageOverrider: [{component: Registry, operator: replace, value: mirror.example.com}]}
`)
	for i := range members {
		fmt.Fprintf(&b, "---\n{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: cluster-%04d}, spec: {region: r%d}}\n", i, i%2)
	}
	return b.String()
}

// inUse is what is left after a garbage collection; the second one takes what the first one let go of.
func (s *scale) inUse() int64 {
	for range 3 {
		runtime.GC()
		time.Sleep(time.Millisecond) // for what is freed in the background
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func (s *scale) plans() {
	p, err := propagate.New(s.in)
	require.NoError(s.t, err)
	p.Digest()
	for _, c := range p.Clusters() {
		p.ClusterDigest(c)
	}
	s.plan, s.clusters = p, p.Clusters()
}

func (s *scale) adopts() {
	s.activate(s.plan)
	before := s.plan.Previous()
	for i, d := range s.plan.Decisions {
		s.f.records.objects.Set(s.f.objectRecord(d, before[i]))
	}
	for _, c := range s.clusters {
		s.f.clusters[c].Delivery = s.f.newDelivery(c)
	}
	s.f.active.persisted = true
}

// watches shows what every cluster has, as the API server would.
func (s *scale) watches() {
	for n, c := range s.clusters {
		kinds := s.f.clusters[c].TargetKinds()
		for i, p := range s.plan.ForCluster(c).Objects {
			s.f.observe(c, s.live(p.Rendered, time.Date(2026, 1, 2, n/60, n%60, i%60, 0, time.UTC)))
		}
		s.f.clusters[c].MarkListed(kinds)
	}
}

// live is an object that was applied, decoded from what the API server would send.
func (s *scale) live(r *propagate.Rendered, since time.Time) *unstructured.Unstructured {
	var content map[string]any
	require.NoError(s.t, json.Unmarshal(r.Body.Bytes(), &content))
	metadata := content["metadata"].(map[string]any)
	fields := map[string]any{}
	for key, value := range fieldsOf(content) {
		if key != "f:apiVersion" && key != "f:kind" {
			fields[key] = value
		}
	}
	metadata["uid"], metadata["generation"] = string(utiluuid.NewUUID()), 1
	metadata["managedFields"] = []any{map[string]any{"manager": v1alpha1.FieldManager, "operation": "Apply", "apiVersion": r.GVK.GroupVersion().String(), "fieldsType": "FieldsV1", "fieldsV1": fields}}
	content["status"] = map[string]any{
		"observedGeneration": 1, "replicas": 3, "updatedReplicas": 3, "readyReplicas": 3, "availableReplicas": 3,
		"conditions": []any{
			map[string]any{"type": "Available", "status": "True", "reason": "MinimumReplicasAvailable", "message": "Deployment has minimum availability.", "lastTransitionTime": since.Add(7 * time.Second).Format(time.RFC3339), "lastUpdateTime": since.Format(time.RFC3339)},
			map[string]any{"type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable", "message": "ReplicaSet has successfully progressed.", "lastTransitionTime": since.Format(time.RFC3339), "lastUpdateTime": since.Format(time.RFC3339)},
		},
	}
	text, err := json.Marshal(content)
	require.NoError(s.t, err)
	u := &unstructured.Unstructured{}
	require.NoError(s.t, u.UnmarshalJSON(text))
	return u
}

// fieldsOf is the set of fields of an object, a list being one field.
func fieldsOf(object map[string]any) map[string]any {
	fields := map[string]any{}
	for key, value := range object {
		below, _ := value.(map[string]any)
		fields["f:"+key] = fieldsOf(below)
	}
	return fields
}

// delivers ends the delivery to every cluster, and has what came of it judged.
func (s *scale) delivers() {
	for _, c := range s.clusters {
		l := s.f.clusters[c]
		var there []live.Discovered
		answers := map[manifest.ID]live.Answer{}
		for _, p := range s.plan.ForCluster(c).Objects {
			seen, ok := l.Live.Get(p.ID)
			require.True(s.t, ok && seen.Intact, p.ID)
			there = append(there, live.Discovered{ID: p.ID})
			answers[p.ID] = live.Answer{Accepted: live.Accepted{Digest: strings.Clone(seen.Digest), Fields: seen.Fields}}
		}
		s.f.mu.Lock()
		l.Settle(answers)
		l.Conclude(delivery.Result{Inventory: delivery.Shared(s.f.clusters, live.Entries(there))})
		cells := l.Cells(s.f.circumstances(""))
		l.Delivery.Status = status.Delivery(l.Delivery.Status, l.Delivery.Generation, "main@1", l.Run, cells, time.Now())
		s.f.mu.Unlock()
	}
	for id, o := range s.f.records.objects.All() {
		var cells []status.Cell
		for _, c := range s.clusters {
			l := s.f.clusters[c]
			cells = append(cells, l.Cell(id, l.Wants.Of(id), s.f.circumstances("")))
		}
		o.Status = status.Object(o.Status, o.Generation, interpret.Of(id.GroupKind()), "", cells, time.Now())
		require.EqualValues(s.t, len(s.clusters), o.Status.Summary.Healthy, "%v", o.Status.Clusters)
	}
}

// plansAgain makes the plan after it, which knows what was decided before, and puts it in force.
func (s *scale) plansAgain() {
	s.in.Previous = s.plan.Previous()
	next, err := s.plan.Next(s.in)
	require.NoError(s.t, err)
	s.in.Previous = nil
	next.Digest()
	s.activate(next)
	s.plan = next
}

// activate makes a plan active.
func (s *scale) activate(plan *propagate.Plan) {
	s.f.Activate(activation.Request{Plan: plan, Release: &v1alpha1.Release{ObjectMeta: metav1.ObjectMeta{Name: "r"}}}, time.Now())
}

// observe records a live object as a watch does.
func (f *Federation) observe(cluster string, u *unstructured.Unstructured) {
	id := manifest.IDOf(u)
	report, gateStatus := f.Report(u)
	for {
		base, ok := f.Base(cluster, id)
		if !ok {
			return
		}
		x := Observation{Base: base, Seen: live.Observe(u, base.Wanted, base.Before, base.Proven), Report: report, GateStatus: gateStatus}
		x.Report.Message = x.Seen.AppendYielded(report.Message)
		if _, recorded := f.Observe(cluster, id, x, time.Now()); recorded {
			return
		}
	}
}
