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

// prune removes owned objects that the plan no longer has. It runs after all applies and does nothing if one failed
// or an object could not be rendered: the replacement of a removed object may be missing.
func (d *delivery) prune(ctx context.Context) error {
	remove, release := d.unwanted()
	if len(d.outcome.Errors) > 0 || d.hasRenderErrors() {
		return nil
	}
	spared, err := d.neededByHeld(ctx, slices.Concat(remove, release))
	if err != nil || len(d.outcome.Errors) > 0 { // an object that could not be read may need any other
		return err
	}
	stays := func(id manifest.ID) bool { return spared[id] }
	remove, release = slices.DeleteFunc(remove, stays), slices.DeleteFunc(release, stays)
	if d.outcome.PruneBlocked = d.pruneBlocked(remove); d.outcome.PruneBlocked != "" {
		remove = nil
	}
	return d.clear(ctx, remove, release)
}

// clear releases objects, and then deletes others in their order.
func (d *delivery) clear(ctx context.Context, remove, release []manifest.ID) error {
	if err := each(ctx, d.options.Workers, release, d.release); err != nil {
		return err
	}
	objects, last := split(remove)
	if err := each(ctx, d.options.Workers, objects, d.delete); err != nil {
		return err
	}
	return each(ctx, d.options.Workers, last, d.delete)
}

// hasRenderErrors reports whether a planned object could not be rendered.
func (d *delivery) hasRenderErrors() bool {
	for _, f := range d.want.Failed {
		if f.Held == "" {
			return true
		}
	}
	return false
}

// unwanted returns the owned objects that the plan no longer has: those to delete and those to release. It records
// the others as held or orphaned. The inventory decides about ownership, because anybody can copy the label; an object
// that a controller owns is that controller's.
func (d *delivery) unwanted() (remove, release []manifest.ID) {
	if len(d.difference.Extra) > 0 {
		d.noteHeld()
	}
	for _, id := range d.difference.Extra {
		seen, _ := d.live.Get(id)
		switch {
		case d.purged[id]:
			continue
		case !d.previous.Has(id):
			d.strangers++
			d.outcome.Orphaned[id] = "it has the label of this federation, and accord did not create it"
			continue
		case seen.Controller != "":
			d.strangers++
			d.outcome.Orphaned[id] = "it has the label of this federation, and its controller owns it: " + seen.Controller
			continue
		case seen.Deleting:
			continue
		}
		switch held := d.held(id, seen); {
		case held != "":
			d.outcome.Held[id] = held
		case !d.options.Prune:
			d.outcome.Orphaned[id] = "the federation does not prune"
		case seen.Preserve, seen.Adopted, d.options.Release:
			release = append(release, id)
		default:
			remove = append(remove, id)
		}
	}
	slices.SortFunc(remove, manifest.ID.Compare)
	slices.SortFunc(release, manifest.ID.Compare)
	return remove, release
}

// noteHeld records the planned objects that are held.
func (d *delivery) noteHeld() {
	for _, p := range d.want.Objects {
		if p.Held != "" {
			d.outcome.Held[p.ID] = p.Held
		}
	}
	for _, f := range d.want.Failed {
		if f.Held != "" {
			d.outcome.Held[f.ID] = f.Held
		}
	}
}

func (d *delivery) held(id manifest.ID, seen live.Object) string {
	if d.options.Withdraw == nil {
		return ""
	}
	return d.options.Withdraw(id, seen.Labels)
}

// split separates the containers of other objects, which are deleted last: namespaces and definitions.
func split(remove []manifest.ID) (objects, last []manifest.ID) {
	for _, id := range remove {
		if gk := id.GroupKind(); gk == namespaceKind || gk == manifest.DefinitionKind {
			last = append(last, id)
		} else {
			objects = append(objects, id)
		}
	}
	return objects, last
}

// delete deletes an object if it is still the observed one. A missing object counts as deleted.
func (d *delivery) delete(ctx context.Context, id manifest.ID) error {
	if id.GroupKind() == namespaceKind {
		switch tenant, err := d.foreignObject(ctx, id.Name); {
		case apierrors.IsForbidden(err) && !cannotImpersonate(err): // its rights are those of the objects in Git; see join --print-rbac
			d.note(func(o *live.Outcome) {
				o.Orphaned[id] = fmt.Sprintf("it may contain objects of others: %v; let accord list them, or delete it by hand", err)
			})
			return nil
		case err != nil:
			return d.fail(ctx, id, "listing the objects of the namespace", err)
		case tenant != "":
			d.note(func(o *live.Outcome) {
				o.Orphaned[id] = fmt.Sprintf("it contains %s, which is not ours and would be deleted with it", tenant)
			})
			return nil
		}
	}
	seen, _ := d.live.Get(id)
	objects, err := d.objects(seen.GVK, id)
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

// release removes accord's label and annotations from an object that stays with all other fields. It sends a merge
// patch, because an apply without our fields would remove them. The UID makes the patch fail for another object of
// the same name.
func (d *delivery) release(ctx context.Context, id manifest.ID) error {
	seen, _ := d.live.Get(id)
	objects, err := d.objects(seen.GVK, id)
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
	return permit.Prune(d.options.PruneLimits, remove, d.live.Len()-d.strangers, d.options.EmptyPlan)
}
