package apply

import (
	"context"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/v1alpha1"
)

const (
	// adoptionManager owns the one annotation that says a namespace was there before us. Our own applies do not have it, so
	// they would remove it if it was theirs.
	adoptionManager = "accord-adoption"
	// establishLimit is how long a definition may take until its kind is served; establishPause is between two looks.
	establishLimit = 30 * time.Second
	establishPause = 50 * time.Millisecond
)

var (
	namespaces  = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
)

// applied are the options of a server-side apply: what our manifest says wins, other fields are left alone.
func applied(manager string) metav1.PatchOptions {
	force := true
	return metav1.PatchOptions{FieldManager: manager, Force: &force}
}

// applyAll writes namespaces and definitions, waits until these are served, and writes the rest.
func (d *delivery) applyAll(ctx context.Context) error {
	d.findScripts()
	var first, rest, served []*task
	for _, t := range d.tasks {
		switch gk := t.ID.GroupKind(); {
		case t.refused:
		case gk == crdKind:
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
	if err := d.awaitEstablished(ctx, served); err != nil {
		return err
	}
	return each(ctx, d.options.Workers, rest, d.apply)
}

// apply writes one object.
func (d *delivery) apply(ctx context.Context, t *task) error {
	objects, err := d.resource(t.GVK, t.ID)
	if meta.IsNoMatchError(err) {
		err = &Problem{Reason: NoMatch, Retry: true, Err: fmt.Errorf("the cluster does not serve %s %s", t.GVK.GroupVersion(), t.GVK.Kind)}
	}
	if err != nil {
		return d.fail(ctx, t.ID, "applying", err)
	}
	if t.adopt && t.ID.GroupKind() == namespaceKind {
		if err := d.markAdopted(ctx, t); err != nil {
			return d.fail(ctx, t.ID, "adopting the namespace", err)
		}
	}
	sent, after, err := d.write(ctx, t, objects)
	if err != nil {
		return d.fail(ctx, t.ID, "applying", err)
	}
	d.note(func(o *Outcome) {
		o.Applied = append(o.Applied, t.ID)
		o.Accepted[t.ID] = Accepted{Digest: t.Digest, Fields: managersIn(after.ManagedFields).ours().hash(), Left: paths(sent.left)}
		if t.adopt {
			o.Adopted = append(o.Adopted, t.ID)
		}
		if t.drift != nil && !sent.idle {
			o.Drift = append(o.Drift, *t.drift)
		}
	})
	return nil
}

// markAdopted says on a namespace that it was there before us. It is never deleted by us from then on.
func (d *delivery) markAdopted(ctx context.Context, t *task) error {
	body := fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":%q,"annotations":{%q:"true"}}}`,
		t.ID.Name, v1alpha1.AdoptedAnnotation)
	return d.request(ctx, func(ctx context.Context) error {
		_, err := d.member.Metadata.Resource(namespaces).Patch(ctx, t.ID.Name, types.ApplyPatchType, body, applied(adoptionManager))
		return err
	})
}

// awaitEstablished returns when the API server serves the kinds of the definitions that were just written. One that is not
// served in time is that definition's problem, and its custom resources get one of their own.
func (d *delivery) awaitEstablished(ctx context.Context, definitions []*task) error {
	definitions = slices.DeleteFunc(definitions, func(t *task) bool { return d.outcome.Errors[t.ID] != nil })
	if len(definitions) == 0 {
		return nil
	}
	if err := each(ctx, d.options.Workers, definitions, d.awaitOne); err != nil {
		return err
	}
	d.requests.Add(1)
	if err := d.member.Kinds.Refresh(); err != nil {
		return fmt.Errorf("cluster %s: %w", d.member.Name, err)
	}
	return nil
}

func (d *delivery) awaitOne(ctx context.Context, t *task) error {
	deadline := time.Now().Add(establishLimit)
	for {
		var live *unstructured.Unstructured
		err := d.request(ctx, func(ctx context.Context) (err error) {
			live, err = d.member.Objects.Resource(definitions).Get(ctx, t.ID.Name, metav1.GetOptions{})
			return err
		})
		switch {
		case err != nil:
			return d.fail(ctx, t.ID, "waiting until its kind is served", err)
		case established(live):
			return nil
		case time.Now().After(deadline):
			return d.fail(ctx, t.ID, "", &Problem{Reason: Timeout, Retry: true, Err: fmt.Errorf("its kind is not served %s after it was applied", establishLimit)})
		}
		select {
		case <-time.After(establishPause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func established(definition *unstructured.Unstructured) bool {
	conditions, _, _ := unstructured.NestedSlice(definition.Object, "status", "conditions") // none: not yet
	return slices.ContainsFunc(conditions, func(c any) bool {
		condition, ok := c.(map[string]any)
		return ok && condition["type"] == "Established" && condition["status"] == "True"
	})
}
