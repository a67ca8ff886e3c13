package apply

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/permit"
	"github.com/accord-dev/accord/reconciler/apply/live"
)

// prune removes what is ours and no longer wanted. It is called when all applies were tried, and does nothing if one of
// them failed or an object could not be rendered: what comes in the place of the old may not be there.
func (d *delivery) prune(ctx context.Context) error {
	remove, release := d.unwanted()
	if len(d.outcome.Errors) > 0 || d.hasRenderErrors() {
		return nil
	}
	spared, err := d.neededByHeld(ctx, slices.Concat(remove, release))
	if err != nil || len(d.outcome.Errors) > 0 { // what could not be read may need anything
		return err
	}
	stays := func(id manifest.ID) bool { return spared[id] }
	remove, release = slices.DeleteFunc(remove, stays), slices.DeleteFunc(release, stays)
	if d.outcome.PruneBlocked = d.pruneBlocked(remove); d.outcome.PruneBlocked != "" {
		remove = nil
	}
	if err := each(ctx, d.options.Workers, release, d.release); err != nil {
		return err
	}
	objects, last := split(remove)
	if err := each(ctx, d.options.Workers, objects, d.delete); err != nil {
		return err
	}
	return each(ctx, d.options.Workers, last, d.delete)
}

// hasRenderErrors says that something wanted could not be made.
func (d *delivery) hasRenderErrors() bool {
	for _, f := range d.want.Failed {
		if f.Held == "" {
			return true
		}
	}
	return false
}

// unwanted finds what is ours and no longer wanted: what is to be deleted, and what is to be let go.
// The rest is noted as held or orphaned.
func (d *delivery) unwanted() (remove, release []manifest.ID) {
	for id, seen := range d.live.Except(d.want) {
		if seen.Deleting {
			continue
		}
		switch held := d.held(id, seen); {
		case held != "":
			d.outcome.Held[id] = held
		case !d.options.Prune:
			d.outcome.Orphaned[id] = "the federation does not prune"
		case seen.Preserve, seen.Adopted:
			release = append(release, id)
		default:
			remove = append(remove, id)
		}
	}
	slices.SortFunc(remove, manifest.ID.Compare)
	slices.SortFunc(release, manifest.ID.Compare)
	return remove, release
}

func (d *delivery) held(id manifest.ID, seen live.Object) string {
	if d.options.Withdraw == nil {
		return ""
	}
	return d.options.Withdraw(id, seen.Labels)
}

// split puts what others live in last: namespaces and definitions.
func split(remove []manifest.ID) (objects, last []manifest.ID) {
	for _, id := range remove {
		if gk := id.GroupKind(); gk == namespaceKind || gk == crdKind {
			last = append(last, id)
		} else {
			objects = append(objects, id)
		}
	}
	return objects, last
}

// delete removes one object, if it is still the one that was seen. One that is gone is done.
func (d *delivery) delete(ctx context.Context, id manifest.ID) error {
	if id.GroupKind() == namespaceKind {
		switch tenant, err := d.foreignObject(ctx, id.Name); {
		case err != nil:
			return d.fail(ctx, id, "looking for what is in the namespace", err)
		case tenant != "":
			d.note(func(o *live.Outcome) {
				o.Orphaned[id] = fmt.Sprintf("it contains %s, which is not ours and would be deleted with it", tenant)
			})
			return nil
		}
	}
	seen, _ := d.live.Get(id)
	objects, err := d.resource(seen.GVK, id)
	if err == nil {
		background := metav1.DeletePropagationBackground
		err = d.request(ctx, func(ctx context.Context) error {
			return objects.Delete(ctx, id.Name, metav1.DeleteOptions{
				Preconditions: &metav1.Preconditions{UID: &seen.UID}, PropagationPolicy: &background,
			})
		})
	}
	if err != nil && !apierrors.IsNotFound(err) && !meta.IsNoMatchError(err) {
		return d.fail(ctx, id, "pruning", err)
	}
	d.note(func(o *live.Outcome) { o.Pruned = append(o.Pruned, id) })
	return nil
}

// release takes our marks off an object that stays: the label, and the annotations. Its fields stay as they are. It is a
// merge patch, because an apply without our fields would remove them; the UID makes it fail if the object is
// another one by now.
func (d *delivery) release(ctx context.Context, id manifest.ID) error {
	seen, _ := d.live.Get(id)
	objects, err := d.resource(seen.GVK, id)
	if err == nil {
		body := fmt.Appendf(nil, `{"metadata":{"uid":%q,"labels":{%q:null},"annotations":{%q:null,%q:null,%q:null}}}`, seen.UID,
			v1alpha1.PartOfLabel, v1alpha1.DigestAnnotation, v1alpha1.PreserveAnnotation, v1alpha1.AdoptedAnnotation)
		err = d.request(ctx, func(ctx context.Context) error {
			_, err := objects.Patch(ctx, id.Name, types.MergePatchType, body, metav1.PatchOptions{FieldManager: v1alpha1.FieldManager})
			return err
		})
	}
	if err != nil && !apierrors.IsNotFound(err) && !meta.IsNoMatchError(err) {
		return d.fail(ctx, id, "letting it go", err)
	}
	d.note(func(o *live.Outcome) { o.Released = append(o.Released, id) })
	return nil
}

// pruneBlocked returns why the objects to remove are not deleted, or "" if they may be. The review of a plan applies the
// same limits (permit.Prune).
func (d *delivery) pruneBlocked(remove []manifest.ID) string {
	if d.options.AllowPrune {
		return ""
	}
	return permit.Prune(d.options.PruneLimits, remove, d.live.Len(), d.options.EmptyPlan)
}
