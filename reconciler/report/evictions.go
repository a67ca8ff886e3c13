package report

import (
	"context"

	"golang.org/x/sync/errgroup"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/state/changes"
)

// WriteEvictions writes the eviction tasks of objects to the hub. No plan is persisted meanwhile, which would write the tasks before.
func (r *Reporter) WriteEvictions(ctx context.Context, f *state.Federation, tasks map[manifest.ID][]v1alpha1.GracefulEvictionTask) error {
	if len(tasks) == 0 {
		return nil
	}
	r.decisions.Lock()
	defer r.decisions.Unlock()
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(writers)
	for id, all := range tasks {
		if o := f.WithEvictions(id, all); o != nil {
			g.Go(func() error { return r.put(ctx, f, o) })
		}
	}
	return g.Wait()
}

// adoptLifted takes over the deletions that a person allowed in a FederatedObject on the hub, before the record is written again.
func (r *Reporter) adoptLifted(ctx context.Context, f *state.Federation, like *v1alpha1.FederatedObject) error {
	record, ok := f.Record(like).(*v1alpha1.FederatedObject)
	if !ok || len(record.Spec.GracefulEvictionTasks) == 0 {
		return nil
	}
	if err := r.store.Get(ctx, record); err != nil {
		return client.IgnoreNotFound(err)
	}
	id := record.Spec.Template.ID()
	tasks := f.LiftedEvictions(record)
	if tasks == nil {
		return nil
	}
	err := r.WriteEvictions(ctx, f, map[manifest.ID][]v1alpha1.GracefulEvictionTask{id: tasks})
	r.checkEvictions(f.Key())
	return err
}

// FailoverBlocked sets the condition FailoverBlocked of a Federation, and removes it with an empty message. An event reports the
// beginning.
func (r *Reporter) FailoverBlocked(ctx context.Context, f *state.Federation, reason, message string) error {
	began, err := r.setResource(ctx, f, v1alpha1.FailoverBlocked, reason, message)
	if began && message != "" {
		r.emit(changes.Event{About: f.Declared(), Type: changes.Warning, Reason: v1alpha1.FailoverBlocked, Message: message})
	}
	return err
}
