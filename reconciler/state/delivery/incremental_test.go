package delivery

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/applyorder"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/reconciler/state/deliveryreport"
	"github.com/accord-dev/accord/reconciler/state/wanted"
	"github.com/accord-dev/accord/reconciler/store/fingerprint"
	"github.com/accord-dev/accord/status"
	"github.com/accord-dev/accord/status/kind"
)

// edits are random changes of a State.
type edits struct {
	*rand.Rand
	l        *State
	objects  []propagate.Placed // of the plan, in apply order
	failed   []propagate.Failure
	rendered map[string]*propagate.Rendered
	under    Circumstances
}

func newEdits(seed uint64) *edits {
	return &edits{
		Rand: rand.New(rand.NewPCG(seed, 7)), l: New(&v1alpha1.Delivery{}, live.Proven{}), rendered: map[string]*propagate.Rendered{},
		under: Circumstances{Fingerprints: fingerprint.New(make([]byte, fingerprint.KeySize), true)},
	}
}

// one reports true once in n calls.
func (e *edits) one(n int) bool { return e.IntN(n) == 0 }

// id returns one of the objects: of the plan, of an earlier one, or of somebody else.
func (e *edits) id() manifest.ID {
	kinds := []string{"Namespace", "ConfigMap", "Secret", "Service"}
	n := e.IntN(40)
	id := manifest.ID{Kind: kinds[n%len(kinds)], Namespace: "shop", Name: fmt.Sprint("o", n)}
	if id.Kind == "Namespace" {
		id.Namespace = ""
	}
	return id
}

func (e *edits) placed(id manifest.ID) propagate.Placed {
	digest := fmt.Sprint(e.IntN(3))
	key := id.Entry() + digest
	if e.rendered[key] == nil {
		e.rendered[key] = &propagate.Rendered{ID: id, GVK: schema.GroupVersionKind{Version: "v" + digest, Kind: id.Kind}, Digest: digest}
	}
	return propagate.Placed{Rendered: e.rendered[key], Held: []string{"", "", "", "", "held"}[e.IntN(5)], Implied: id.Kind == "Namespace" && e.one(2)}
}

// plan adopts a plan: most often one with other contents of a few objects, or with one more or less, and sometimes another
// choice of objects.
func (e *edits) plan() {
	objects := slices.Clone(e.objects)
	for range 1 + e.IntN(3) {
		if len(objects) > 0 {
			i := e.IntN(len(objects))
			objects[i] = e.placed(objects[i].ID)
		}
	}
	if id := e.id(); e.one(3) && len(e.failed) == 0 && inOrder(propagate.ClusterPlan{Objects: objects}) {
		if i, there := position(propagate.ClusterPlan{Objects: objects}, id); there {
			objects = slices.Delete(objects, i, i+1)
		} else {
			objects = slices.Insert(objects, i, e.placed(id))
		}
	}
	if len(objects) == 0 || e.one(6) {
		objects, e.failed = nil, nil
		taken := map[manifest.ID]bool{}
		for range 30 {
			id := e.id()
			if taken[id] {
				continue
			}
			taken[id] = true
			if e.one(25) {
				e.failed = append(e.failed, propagate.Failure{ID: id, Err: errors.New("no"), Held: []string{"", "held"}[e.IntN(2)]})
				continue
			}
			objects = append(objects, e.placed(id))
		}
		slices.SortFunc(objects, func(a, b propagate.Placed) int { return applyorder.Compare(a.ID, b.ID) })
		if e.one(10) {
			e.Shuffle(len(objects), func(i, j int) { objects[i], objects[j] = objects[j], objects[i] })
		}
	}
	e.objects = objects
	e.l.Adopt(propagate.ClusterPlan{Objects: objects, Failed: e.failed})
}

// seen returns an object as a watch may see it.
func (e *edits) seen() live.Object {
	return live.Object{
		Digest: fmt.Sprint(e.IntN(3)), Intact: !e.one(5), Deleting: e.one(6), DeletedAt: int64(e.IntN(9)), Version: uint64(e.IntN(9)),
		Comparison: live.Comparison{Mutated: e.one(6), Overwritten: e.one(6)},
	}
}

func (e *edits) report(seen live.Object) status.Report {
	return status.Report{
		Digest: seen.Digest, Generation: 2, ObservedGeneration: int64(1 + e.IntN(2)), Observes: true, Message: "1 of 2",
		Health: []kind.Health{kind.Healthy, kind.Healthy, kind.Progressing, kind.Failed}[e.IntN(4)],
	}
}

// change makes one random change.
func (e *edits) change() {
	l, id := e.l, e.id()
	switch e.IntN(12) {
	case 0:
		e.plan()
	case 1, 2, 3, 4:
		seen := e.seen()
		var mutated []v1alpha1.MutatedField
		if seen.Mutated {
			mutated = []v1alpha1.MutatedField{{Field: "spec.replicas", Applied: "2", Live: "1"}}
		}
		l.Note(id, seen, mutated, e.report(seen))
	case 5:
		l.Forget(id)
	case 6:
		l.Settle(map[manifest.ID]live.Answer{id: {Accepted: live.Accepted{Digest: fmt.Sprint(e.IntN(3))}, Version: uint64(e.IntN(9))}})
	case 7:
		r := Result{Errors: map[manifest.ID]string{}}
		for range e.IntN(3) {
			r.Errors[e.id()] = "refused"
		}
		l.Conclude(r)
	case 8:
		e.under.Unreachable = []string{"", "", "no answer"}[e.IntN(3)]
		e.under.Suspended, e.under.MutationFails = e.one(8), e.one(2)
	case 9:
		if e.one(4) {
			l.PlannedAs(id, wanted.Object{Held: "a rollback", Digest: "7"})
		} else if e.one(4) {
			l.Unlist()
		}
	case 10:
		l.Ingest(e.deliveryReport())
		l.Merge()
	case 11:
		if e.one(6) {
			l.Block("another", time.Time{})
		}
	}
}

// deliveryReport returns the report of a replica that sees some objects.
func (e *edits) deliveryReport() *v1alpha1.DeliveryReport {
	r := &v1alpha1.DeliveryReport{}
	r.Status.ObservedDelivery = deliveryreport.AssignmentID(e.l.Delivery)
	r.Status.Objects = map[string]v1alpha1.ReportedObject{}
	for id := range e.l.Live.All() {
		if !e.one(9) {
			r.Status.Objects[id.Entry()] = v1alpha1.ReportedObject{
				Digest: []string{v1alpha1.DigestWanted, "0", "1"}[e.IntN(3)], Health: string(kind.Healthy), Version: "v1",
			}
		}
	}
	if e.one(3) {
		r.Status.ApplyResult.Errors = map[string]string{e.id().Entry(): "refused"}
	}
	return r
}

// allCells are the cells of every object, without a memory of earlier ones.
func (e *edits) allCells() *status.Cells {
	var all []status.Cell
	for id, w := range e.l.Wants.All() {
		if !w.Decided().Implied || e.l.Errors[id] != "" {
			all = append(all, e.l.Cell(id, w, e.under))
		}
	}
	return status.CountCells(all)
}

// TestIncrementalIsFull: after any changes, the cells and the difference of a cluster are those that a look at all of its
// objects finds.
func TestIncrementalIsFull(t *testing.T) {
	at := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	incremental := 0
	for seed := range uint64(150) {
		e := newEdits(seed)
		for step := range 60 {
			e.change()
			if e.one(3) {
				continue // several changes between two statuses
			}
			if !e.l.counted.all && len(e.l.counted.stale) > 0 && !e.l.difference.all {
				incremental++
			}
			where := fmt.Sprintf("seed %d, step %d", seed, step)
			run := status.Run{Started: e.one(2), Finished: e.one(2)}
			deliveryOf := func(cells *status.Cells) v1alpha1.DeliveryStatus {
				return status.Delivery(v1alpha1.DeliveryStatus{}, 1, "main@1", run, cells, at)
			}
			require.Equal(t, deliveryOf(e.allCells()), deliveryOf(e.l.Cells(e.under)), where)

			require.Equal(t, kindsOf(e.l.Target), e.l.TargetKinds(), where)
			full, got := e.l.Live.Compare(e.l.Target), e.l.Difference(e.l.Target)
			if got == nil {
				require.NotEmpty(t, e.l.Target.Failed, where)
				continue
			}
			slices.SortFunc(full.Extra, manifest.ID.Compare)
			slices.SortFunc(got.Extra, manifest.ID.Compare)
			require.Equal(t, full.Due, got.Due, where)
			require.Equal(t, full.Extra, got.Extra, where)

			another := propagate.ClusterPlan{Objects: slices.Clone(e.l.Target.Objects), Failed: e.l.Target.Failed}
			unwanted := map[manifest.ID]map[string]string{}
			for id, seen := range e.l.Live.Except(another) {
				if !seen.IsStranger() && !seen.Deleting {
					unwanted[id] = seen.Labels
				}
			}
			require.Equal(t, unwanted, e.l.Delivered(another).Unwanted, where)
			for range min(3, len(another.Objects)) {
				i := e.IntN(len(another.Objects))
				another.Objects[i] = e.placed(another.Objects[i].ID)
			}
			if got := e.l.Difference(another); len(another.Failed) == 0 {
				require.Equal(t, e.l.Live.Compare(another).Due, got.Due, where)
			} else {
				require.Nil(t, got, where)
			}
		}
	}
	require.Greater(t, incremental, 1000, "most changes are looked at alone")
}
