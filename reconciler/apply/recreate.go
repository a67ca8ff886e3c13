package apply

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/metadata"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/permit"
	"github.com/accord-dev/accord/reconciler/apply/live"
)

const (
	// goneTries and goneWait are how often it is looked whether a deleted object is gone, and how long is waited before the
	// first look; each wait is twice as long. What takes longer is made anew when the watch tells that it is gone.
	goneTries = 5
	goneWait  = 50 * time.Millisecond
)

// unchangeable is how API servers say of a field that it cannot be changed, in lower case: of most, of the roleRef of a
// RoleBinding, of the clusterIP of a Service.
var unchangeable = []string{"immutable", "cannot change roleref", "may not change once set"}

// immutableIn are the fields of which the API server says that they cannot be changed, if that is all it says. A field of
// which it says anything else would be refused of a new object, too; and a 409 or 422 alone proves nothing.
func immutableIn(err error) []string {
	var status apierrors.APIStatus
	if !apierrors.IsInvalid(err) || !errors.As(err, &status) || status.Status().Details == nil {
		return nil
	}
	var fields []string
	for _, cause := range status.Status().Details.Causes {
		proves := cause.Type == metav1.CauseTypeFieldValueInvalid || cause.Type == metav1.CauseTypeForbidden
		if !proves || cause.Field == "" || !slices.ContainsFunc(unchangeable, func(said string) bool { return strings.Contains(strings.ToLower(cause.Message), said) }) {
			return nil
		}
		fields = append(fields, cause.Field)
	}
	return fields
}

// keepReason says why an object that cannot be changed is not deleted to be made anew, as what is being done; empty if it is.
func (d *delivery) keepReason(t *task) string {
	object, err := decode(t)
	if err != nil {
		return "applying"
	}
	const hint = "applying (the field cannot be changed, and accord does not delete %s to make it anew)"
	seen, _ := d.live.Get(t.ID)
	switch allowed, never := permit.Recreate(object); {
	case never != "":
		return fmt.Sprintf(hint, never)
	case t.unseen || t.adopt || seen.Adopted || seen.UID == "":
		return fmt.Sprintf(hint, "what it did not make")
	case !allowed:
		return fmt.Sprintf("applying (the field cannot be changed: with the annotation %s: %s in Git accord deletes the object and makes it anew)",
			v1alpha1.ForceAnnotation, v1alpha1.ForceEnabled)
	}
	return ""
}

// decode is the object of a task.
func decode(t *task) (*unstructured.Unstructured, error) {
	object := &unstructured.Unstructured{}
	if err := utiljson.Unmarshal(t.JSON, &object.Object); err != nil {
		return nil, fmt.Errorf("reading the rendered object: %w", err)
	}
	return object, nil
}

// recreate deletes an object and makes it anew, after the API server said that it would take it.
func (d *delivery) recreate(ctx context.Context, t *task, objects metadata.ResourceInterface) (body, *metav1.PartialObjectMetadata, error) {
	seen, _ := d.live.Get(t.ID)
	if !seen.Deleting {
		object, err := decode(t)
		if err != nil {
			return body{}, nil, err
		}
		how := deletePropagation(object)
		if err := d.dryRunCreate(ctx, t, objects); err != nil {
			return body{}, nil, fmt.Errorf("it is left as it is, because the cluster would not take a new one: %w", err)
		}
		err = d.request(ctx, func(ctx context.Context) error {
			return objects.Delete(ctx, t.ID.Name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &seen.UID}, PropagationPolicy: &how})
		})
		if err != nil && !apierrors.IsNotFound(err) {
			return body{}, nil, fmt.Errorf("deleting the old one: %w", err)
		}
	}
	d.note(func(o *live.Outcome) { o.Recreated = append(o.Recreated, t.ID) })
	if err := d.waitUntilDeleted(ctx, t, objects); err != nil {
		return body{}, nil, err
	}
	t.exists = false
	return d.write(ctx, t, objects)
}

// deletePropagation is foreground for what makes pods: the new ones do not run beside the old. Everything else is gone at once.
func deletePropagation(object *unstructured.Unstructured) metav1.DeletionPropagation {
	if _, makes, err := unstructured.NestedMap(object.Object, "spec", "template"); makes && err == nil {
		return metav1.DeletePropagationForeground
	}
	return metav1.DeletePropagationBackground
}

// dryRunCreate asks whether the object would be taken if it was not there: a dry-run under a name that nobody has.
func (d *delivery) dryRunCreate(ctx context.Context, t *task, objects metadata.ResourceInterface) error {
	object, err := decode(t)
	if err != nil {
		return err
	}
	name := dryRunName(t.ID)
	object.SetName(name)
	text, err := json.Marshal(object.Object)
	if err != nil {
		return fmt.Errorf("writing what is to be tried: %w", err)
	}
	options := applied(v1alpha1.FieldManager)
	options.DryRun = []string{metav1.DryRunAll}
	return d.request(ctx, func(ctx context.Context) error {
		_, err := objects.Patch(ctx, name, types.ApplyPatchType, text, options)
		return err
	})
}

// dryRunName is a name that any kind may have.
func dryRunName(id manifest.ID) string {
	return fmt.Sprintf("accord-rehearsal-%x", xxhash.Sum64String(id.String()))
}

// waitUntilDeleted waits a moment until what was deleted is gone.
func (d *delivery) waitUntilDeleted(ctx context.Context, t *task, objects metadata.ResourceInterface) error {
	seen, _ := d.live.Get(t.ID)
	for i := range goneTries {
		err := d.request(ctx, func(ctx context.Context) error {
			found, err := objects.Get(ctx, t.ID.Name, metav1.GetOptions{})
			if err == nil && found.UID != seen.UID {
				return live.NewConflict("somebody else made %s in the meantime; it is left as it is", t.ID)
			}
			return err
		})
		if apierrors.IsNotFound(err) {
			return nil
		} else if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(goneWait << i):
		}
	}
	return &live.Problem{Reason: live.Busy, Retry: true, Err: errors.New("the old one is being deleted, with all that belongs to it; it is made anew when it is gone")}
}
