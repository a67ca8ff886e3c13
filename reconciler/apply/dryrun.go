package apply

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/clusters/list"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/tenancy"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/status/interpret"
)

// DryRunOptions configure a dry-run.
type DryRunOptions struct {
	// Difference is as for Deliver.
	Difference *live.Difference
	// Account sends the dry-runs, as it would send the requests of the delivery.
	Account tenancy.Account
	// Book has the users' scripts that retain live fields. Nil: none.
	Book *interpret.Book
	// Only are the objects to check. Nil: all objects that a delivery would write.
	Only map[manifest.ID]bool
	// Fields compares the objects that exist with the answers: see DryRunResult.Changed. It costs one more request for each.
	Fields bool
	// Timeout of each request; 0: clusters.RequestTimeout.
	Timeout time.Duration
}

// DryRun sends a server-side dry-run of every object that Deliver would write to one cluster, by the same comparison, with
// the same field manager and bodies. It writes nothing and does not try deletions.
//
// observed and previous are as for Deliver; DryRun lists the live objects if observed is nil. The error is about the whole cluster
// or ctx's own; the result has the answers until then.
func DryRun(ctx context.Context, m *clusters.Member, federation string, want propagate.ClusterPlan, observed *live.Objects, previous *live.Inventory, o DryRunOptions) (live.DryRunResult, error) {
	d, err := newDelivery(m, federation, want, observed, previous, Options{Difference: o.Difference, Account: o.Account, Book: o.Book, Timeout: o.Timeout})
	if err != nil {
		return live.DryRunResult{}, err
	}
	d.place = "" // so that equal rejections of several clusters have one message
	t := &trial{delivery: d, only: o.Only, unknown: observed == nil, fields: o.Fields}
	err = t.run(ctx)
	t.addProblems()
	t.answer.Requests = int(d.requests.Load())
	return t.answer, err
}

// trial is the state of one DryRun.
type trial struct {
	*delivery
	unknown bool // the live object is not known
	only    map[manifest.ID]bool
	fields  bool
	changes changes
	answer  live.DryRunResult // guarded by delivery.mu while workers run
}

// run performs the steps of a dry-run.
func (t *trial) run(ctx context.Context) error {
	if err := t.loadInventory(ctx); err != nil {
		return err
	}
	if t.unknown {
		if err := t.listLive(ctx); err != nil {
			return err
		}
	}
	t.compare()
	t.narrow()
	if err := t.checkExisting(ctx); err != nil {
		return err
	}
	t.changes = changesOf(t.tasks)
	return each(ctx, t.options.Workers, t.tasks, t.try)
}

// narrow drops the tasks that are neither checked nor affect the check of others.
func (t *trial) narrow() {
	if t.only != nil {
		t.tasks = slices.DeleteFunc(t.tasks, func(x *task) bool { return !t.only[x.ID] && !affectsOthers(x.ID.GroupKind()) })
	}
}

// listLive lists the owned objects of every kind that is planned or was delivered.
func (t *trial) listLive(ctx context.Context) error {
	t.live = &live.Objects{}
	wanted, kinds := map[manifest.ID]*propagate.Rendered{}, map[schema.GroupKind]schema.GroupVersionKind{}
	for id := range t.previous.All() {
		kinds[id.GroupKind()] = id.GroupKind().WithVersion("")
	}
	for _, p := range t.want.Objects {
		wanted[p.ID] = p.Rendered
		kinds[p.ID.GroupKind()] = p.GVK
	}
	return each(ctx, t.options.Workers, slices.Collect(maps.Values(kinds)), func(ctx context.Context, gvk schema.GroupVersionKind) error {
		mapping, err := t.member.Kinds.Mapping(gvk)
		if meta.IsNoMatchError(err) {
			return nil
		} else if err == nil {
			err = t.listKindLive(ctx, mapping.Resource, wanted)
		}
		if err != nil {
			return fmt.Errorf("cluster %s: listing %s: %w", t.member.Name, gvk.Kind, err)
		}
		return nil
	})
}

// listKindLive lists the owned objects of one kind, page by page.
func (t *trial) listKindLive(ctx context.Context, gvr schema.GroupVersionResource, wanted map[manifest.ID]*propagate.Rendered) error {
	selector := v1alpha1.PartOfLabel + "=" + t.applySet
	var pages list.Pages
	for next := ""; ; {
		if err := pages.Next(); err != nil {
			return err
		}
		err := t.request(ctx, func(ctx context.Context) error {
			page, err := t.member.Objects.Resource(gvr).List(ctx, metav1.ListOptions{LabelSelector: selector, Limit: listPage, Continue: next})
			if err != nil {
				return err
			}
			t.mu.Lock()
			defer t.mu.Unlock()
			for i := range page.Items {
				id := manifest.IDOf(&page.Items[i])
				t.live.Put(id, live.Observe(&page.Items[i], wanted[id], live.Object{}, live.Proof{}))
			}
			next = page.GetContinue()
			return nil
		})
		if err != nil || next == "" {
			return err
		}
	}
}

// try checks one object.
func (t *trial) try(ctx context.Context, x *task) error {
	if x.rejected || t.only != nil && !t.only[x.ID] {
		return nil
	}
	if why := t.changes.definesKind(x); why != "" {
		t.recordUnchecked(x.ID, why)
		return nil
	}
	objects, err := t.objects(x.GVK, x.ID)
	if meta.IsNoMatchError(err) {
		err = &live.Problem{Reason: live.NoMatch, Err: fmt.Errorf("the cluster does not serve %s %s", x.GVK.GroupVersion(), x.GVK.Kind)}
	}
	if err == nil {
		err = t.dryRunApply(ctx, x, objects)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil && clusters.Down(err) {
		return fmt.Errorf("cluster %s: %w", t.member.Name, err)
	}
	t.record(x, err)
	if cannotImpersonate(err) {
		return fmt.Errorf("cluster %s: %w", t.member.Name, err)
	}
	return nil
}

// dryRunApply is write with a dry-run in place of the apply.
func (t *trial) dryRunApply(ctx context.Context, x *task, objects metadata.ResourceInterface) error {
	options := applied(v1alpha1.FieldManager)
	options.DryRun = []string{metav1.DryRunAll}
	for try := 1; ; try++ {
		sent, err := t.body(ctx, x)
		if err != nil {
			return err
		}
		before, err := t.liveObject(ctx, x)
		if err != nil {
			return fmt.Errorf("reading the live object: %w", err)
		}
		err = t.request(ctx, func(ctx context.Context) error {
			if before != nil {
				return t.tryFields(ctx, x, before, sent.json, options)
			}
			_, err := objects.Patch(ctx, x.ID.Name, types.ApplyPatchType, sent.json, options)
			return err
		})
		if x.exists && len(immutableIn(err)) > 0 && t.keepReason(x) == "" {
			return t.dryRunCreate(ctx, x, objects)
		}
		if !sent.bound || !apierrors.IsConflict(err) || try == retainTries {
			return err
		}
	}
}

// record records the answer for an object.
func (t *trial) record(x *task, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err == nil {
		t.answer.Checked++
		return
	}
	reason, why := verdict(x, err)
	if reason == "" {
		why += ": " + message(x, "", err)
	} else {
		why = t.changes.explains(x, reason, err)
	}
	if why != "" {
		t.answer.Unchecked = append(t.answer.Unchecked, live.Unchecked{ID: x.ID, Message: why})
		return
	}
	t.answer.Checked++
	t.answer.Rejected = append(t.answer.Rejected, live.Rejection{ID: x.ID, Reason: reason, Message: message(x, reason, err)})
}

func (t *trial) recordUnchecked(id manifest.ID, why string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.answer.Unchecked = append(t.answer.Unchecked, live.Unchecked{ID: id, Message: why})
}

// addProblems adds the problems that checkExisting found: foreign objects, and objects that could not be read.
func (t *trial) addProblems() {
	for _, x := range t.tasks {
		if err := t.outcome.Errors[x.ID]; err != nil && (t.only == nil || t.only[x.ID]) {
			t.record(x, err)
		}
	}
	slices.SortFunc(t.answer.Rejected, func(a, b live.Rejection) int { return a.ID.Compare(b.ID) })
	slices.SortFunc(t.answer.Changed, func(a, b live.Change) int { return a.ID.Compare(b.ID) })
	slices.SortFunc(t.answer.Unchecked, func(a, b live.Unchecked) int { return a.ID.Compare(b.ID) })
}
