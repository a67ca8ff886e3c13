package apply

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/reconciler/apply/ownership"
)

// adoptionManager owns the annotation that marks a namespace which existed before accord. FieldManager must not own
// it: its applies lack the annotation and would remove it.
const adoptionManager = "accord-adoption"

var namespaces = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}

// applied returns the options of a server-side apply: the fields of our manifest win, other fields stay.
func applied(manager string) metav1.PatchOptions {
	force := true
	return metav1.PatchOptions{FieldManager: manager, Force: &force}
}

// smallDelivery is the number of objects up to which a delivery does not yield. It would win little for the plan that is being made, and
// plans that follow one another, as those of a live cluster do, would stop it again and again.
const smallDelivery = 50

// applyAll writes namespaces and definitions, waits until these are served, and writes the rest.
func (d *delivery) applyAll(ctx context.Context) error {
	var first, rest, served []*task
	for _, t := range d.tasks {
		switch gk := t.ID.GroupKind(); {
		case t.rejected, t.done:
		case gk == manifest.DefinitionKind:
			first, served = append(first, t), append(served, t)
		case gk == namespaceKind:
			first = append(first, t)
		default:
			rest = append(rest, t)
		}
	}
	if err := each(ctx, d.options.Workers, first, d.apply); err != nil {
		return err
	}
	if err := d.waitUntilServed(ctx, served); err != nil {
		return err
	}
	yield := d.options.Yield
	if yield == nil || len(rest) <= smallDelivery {
		yield = func(context.Context) {}
	}
	return each(ctx, d.options.Workers, rest, func(ctx context.Context, t *task) error {
		yield(ctx)
		return d.apply(ctx, t)
	})
}

// apply writes one object.
func (d *delivery) apply(ctx context.Context, t *task) error {
	resource, err := d.resource(t.GVK, t.ID)
	if meta.IsNoMatchError(err) {
		err = &live.Problem{Reason: live.NoMatch, Retry: true, Err: fmt.Errorf("the cluster does not serve %s %s", t.GVK.GroupVersion(), t.GVK.Kind)}
	}
	if err != nil {
		return d.fail(ctx, t.ID, "applying", err)
	}
	if t.adopt && t.ID.GroupKind() == namespaceKind {
		if err := d.markAdopted(ctx, t); err != nil {
			return d.fail(ctx, t.ID, "adopting the namespace", err)
		}
	}
	sent, after, err := d.write(ctx, t, resource)
	doing := "applying"
	if at := immutableIn(err); t.exists && len(at) > 0 {
		if why := d.keepReason(t); why != "" {
			doing = why
		} else {
			doing = fmt.Sprintf("recreating it, because %s cannot be changed", strings.Join(at, ", "))
			sent, after, err = d.recreate(ctx, t, resource)
		}
	}
	if err != nil {
		return d.fail(ctx, t.ID, doing, err)
	}
	answer := live.Answer{
		Accepted: live.Accepted{Digest: t.Digest, Fields: ownership.OfEntries(after.ManagedFields).Ours().Hash(), Yielded: ownership.Paths(sent.left)},
		Version:  live.ParseVersion(after.ResourceVersion),
	}
	d.note(func(o *live.Outcome) {
		o.Applied = append(o.Applied, t.ID)
		o.Answers[t.ID] = answer
		if t.adopt {
			o.Adopted = append(o.Adopted, t.ID)
		}
		if t.drift != nil && !sent.idle && answer.Version != t.suspect {
			o.Drift = append(o.Drift, *t.drift)
		}
	})
	return nil
}

// markAdopted annotates a namespace that existed before accord, which from then on never deletes it.
func (d *delivery) markAdopted(ctx context.Context, t *task) error {
	body := fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":%q,"annotations":{%q:"true"}}}`,
		t.ID.Name, v1alpha1.AdoptedAnnotation)
	return d.request(ctx, func(ctx context.Context) error {
		_, err := d.tenant.Metadata.Resource(namespaces).Patch(ctx, t.ID.Name, types.ApplyPatchType, body, applied(adoptionManager))
		return err
	})
}
