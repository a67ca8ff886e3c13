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
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/metadata"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/propagate/permit"
	"github.com/accord-dev/accord/reconciler/apply/live"
)

const (
	// goneTries is the number of times that waitUntilDeleted checks a deleted object, and goneWait the first wait, which doubles.
	// An object that takes longer is created when the watch reports the deletion.
	goneTries = 5
	goneWait  = 50 * time.Millisecond
)

// unchangeable are phrases of API servers about immutable fields, in lower case: of most fields, of the roleRef of a
// RoleBinding, of the clusterIP of a Service.
var unchangeable = []string{"immutable", "cannot change roleref", "may not change once set"}

// immutableIn returns the fields that the error reports as immutable, or nil if it reports any other error as well:
// a new object would be rejected, too. A status of 409 or 422 alone proves nothing.
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

// keepReason returns the description of the apply with the reason why an object with an immutable field is not
// recreated, or "" if it may be.
func (d *delivery) keepReason(t *task) string {
	object, err := decode(t)
	if err != nil {
		return "applying"
	}
	const hint = "applying (the field cannot be changed, and accord does not delete and recreate %s)"
	seen, _ := d.live.Get(t.ID)
	switch allowed, never := permit.Recreate(object); {
	case never != "":
		return fmt.Sprintf(hint, never)
	case t.unseen || t.adopt || seen.Adopted || seen.UID == "":
		return fmt.Sprintf(hint, "objects that it did not create")
	case !allowed:
		return fmt.Sprintf("applying (the field cannot be changed: with the annotation %s: %s in Git accord deletes and recreates the object)",
			v1alpha1.ForceAnnotation, v1alpha1.ForceEnabled)
	}
	return ""
}

// decode returns the object of a task.
func decode(t *task) (*unstructured.Unstructured, error) {
	object := &unstructured.Unstructured{}
	if err := utiljson.Unmarshal(t.Body.Bytes(), &object.Object); err != nil {
		return nil, fmt.Errorf("reading the rendered object: %w", err)
	}
	return object, nil
}

// recreate deletes an object and creates it again, after a dry-run accepted the new one.
func (d *delivery) recreate(ctx context.Context, t *task, resource schema.GroupVersionResource) (sent body, after clusters.Applied, err error) {
	seen, _ := d.live.Get(t.ID)
	objects := d.tenant.Metadata.Resource(resource).Namespace(t.ID.Namespace)
	if !seen.Deleting {
		object, err := decode(t)
		if err != nil {
			return sent, after, err
		}
		how := deletePropagation(object)
		if err := d.dryRunCreate(ctx, t, objects); err != nil {
			return sent, after, fmt.Errorf("it stays as it is, because the cluster rejects a new object: %w", err)
		}
		err = d.request(ctx, func(ctx context.Context) error {
			return objects.Delete(ctx, t.ID.Name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &seen.UID}, PropagationPolicy: &how})
		})
		if err != nil && !apierrors.IsNotFound(err) {
			return sent, after, fmt.Errorf("deleting the old one: %w", err)
		}
	}
	d.note(func(o *live.Outcome) { o.Recreated = append(o.Recreated, t.ID) })
	if err := d.waitUntilDeleted(ctx, t, objects); err != nil {
		return sent, after, err
	}
	t.exists = false
	return d.write(ctx, t, resource)
}

// deletePropagation returns Foreground for objects with a pod template, so that new pods do not run beside old ones,
// else Background.
func deletePropagation(object *unstructured.Unstructured) metav1.DeletionPropagation {
	if _, makes, err := unstructured.NestedMap(object.Object, "spec", "template"); makes && err == nil {
		return metav1.DeletePropagationForeground
	}
	return metav1.DeletePropagationBackground
}

// dryRunCreate checks by a dry-run under an unused name whether the API server would accept the object as a new one.
func (d *delivery) dryRunCreate(ctx context.Context, t *task, objects metadata.ResourceInterface) error {
	object, err := decode(t)
	if err != nil {
		return err
	}
	name := dryRunName(t.ID)
	object.SetName(name)
	text, err := json.Marshal(object.Object)
	if err != nil {
		return fmt.Errorf("encoding the object of the dry-run: %w", err)
	}
	options := applied(v1alpha1.FieldManager)
	options.DryRun = []string{metav1.DryRunAll}
	return d.request(ctx, func(ctx context.Context) error {
		_, err := objects.Patch(ctx, name, types.ApplyPatchType, text, options)
		return err
	})
}

// dryRunName returns an unused name that is valid for every kind.
func dryRunName(id manifest.ID) string {
	return fmt.Sprintf("accord-rehearsal-%x", xxhash.Sum64String(id.String()))
}

// waitUntilDeleted waits a moment until a deleted object is gone.
func (d *delivery) waitUntilDeleted(ctx context.Context, t *task, objects metadata.ResourceInterface) error {
	seen, _ := d.live.Get(t.ID)
	for i := range goneTries {
		err := d.request(ctx, func(ctx context.Context) error {
			found, err := objects.Get(ctx, t.ID.Name, metav1.GetOptions{})
			if err == nil && found.UID != seen.UID {
				return live.NewConflict("somebody else created %s in the meantime; it stays as it is", t.ID)
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
	return &live.Problem{Reason: live.Busy, Retry: true, Err: errors.New("the old object and its dependents are being deleted; accord creates the new one after that")}
}
