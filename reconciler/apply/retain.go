package apply

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/reconciler/apply/ownership"
)

// retainTries bounds the attempts to read and apply an object that others change at the same time.
const retainTries = 5

// body returns the request for a task: the planned object itself, or for an object that exists and may yield fields,
// one that depends on the live object, which costs one read. An object that is created between the check and the
// apply gets all fields (see checkExisting).
type body struct {
	json []byte
	// yielded are the fields of the planned object that the request omits.
	left []ownership.Yielded
	// bound: the request was made for one version of the live object, and any other version conflicts.
	bound bool
	// idle: the fields that accord lost have the same values in the request. Applying it repairs nothing.
	idle bool
}

// write applies the object of a task. A request that depends on the live object carries its version; on a conflict
// write reads the object again.
func (d *delivery) write(ctx context.Context, t *task, resource schema.GroupVersionResource) (sent body, after clusters.Applied, err error) {
	for range retainTries {
		if sent, err = d.body(ctx, t); err != nil {
			return sent, after, err
		}
		err = d.request(ctx, func(ctx context.Context) (err error) {
			after, err = d.tenant.Apply(ctx, resource, t.ID.Namespace, t.ID.Name, v1alpha1.FieldManager, sent.json)
			return err
		})
		if !sent.bound || !apierrors.IsConflict(err) {
			break
		}
	}
	return sent, after, err
}

// body returns the wanted object. If the object exists and may have to yield to live fields, body reads it, which is one request
// more. An object that is created in the moment between the look and the apply gets all fields, as everywhere
// (see scout).
func (d *delivery) body(ctx context.Context, t *task) (body, error) {
	asItIs := body{json: t.Body.Bytes()}
	if !t.exists || len(ownership.Present(t.Yields, asItIs.json)) == 0 && !d.options.Book.Retains(t.ID.GroupKind()) {
		return asItIs, nil
	}
	mapping, err := d.member.Kinds.Mapping(t.GVK)
	if err != nil {
		return body{}, err
	}
	var live *unstructured.Unstructured
	err = d.request(ctx, func(ctx context.Context) (err error) {
		live, err = d.tenant.Objects.Resource(mapping.Resource).Namespace(t.ID.Namespace).Get(ctx, t.ID.Name, metav1.GetOptions{})
		return err
	})
	if apierrors.IsNotFound(err) {
		return asItIs, nil
	} else if err != nil {
		return body{}, fmt.Errorf("reading the live object: %w", err)
	}
	return d.retain(t, live)
}

// retain returns the planned object after the users' scripts (Karmada 7.1 Retain), without the fields that the
// member owns. The result of a script takes precedence over those.
func (d *delivery) retain(t *task, live *unstructured.Unstructured) (body, error) {
	wanted := &unstructured.Unstructured{}
	planned := t.Body.Bytes()
	if err := utiljson.Unmarshal(planned, &wanted.Object); err != nil {
		return body{}, fmt.Errorf("reading the rendered object: %w", err)
	}
	owners := ownership.Of(live)
	unstructured.RemoveNestedField(live.Object, "metadata", "managedFields") // nothing for scripts
	result, err := d.options.Book.Retain(wanted, live)
	if err != nil {
		return body{}, err
	}
	if result != wanted {
		remark(result, wanted)
	}
	open := slices.DeleteFunc(ownership.Present(t.Yields, planned), func(path string) bool { return !ownership.Equal(wanted.Object, result.Object, path) })
	left := ownership.Differing(owners.Yielded(open, live.Object), result.Object, live.Object)
	for _, l := range left {
		ownership.Remove(result.Object, l.Path)
	}
	idle := !slices.ContainsFunc(owners.Ours().Missing(planned, left), func(at fieldpath.Path) bool {
		return !equality.Semantic.DeepEqual(ownership.ValueAt(result.Object, at), ownership.ValueAt(live.Object, at))
	})
	result.SetUID(live.GetUID())
	result.SetResourceVersion(live.GetResourceVersion())
	text, err := json.Marshal(result.Object)
	if err != nil {
		return body{}, fmt.Errorf("encoding the applied object: %w", err)
	}
	return body{json: text, left: left, bound: true, idle: idle}, nil
}

// remark turns the result of a script into a request: it restores the marks of the planned object and removes the
// fields that the API server sets, which scripts copy.
func remark(result, wanted *unstructured.Unstructured) {
	for _, field := range []string{
		"creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "managedFields", "resourceVersion", "selfLink", "uid",
	} {
		unstructured.RemoveNestedField(result.Object, "metadata", field)
	}
	unstructured.RemoveNestedField(result.Object, "status")
	annotations, marks := result.GetAnnotations(), wanted.GetAnnotations()
	for _, key := range []string{v1alpha1.DigestAnnotation, v1alpha1.PreserveAnnotation, v1alpha1.AdoptedAnnotation} {
		annotations = marked(annotations, marks, key)
	}
	result.SetAnnotations(annotations)
	result.SetLabels(marked(result.GetLabels(), wanted.GetLabels(), v1alpha1.PartOfLabel))
}

// marked sets or deletes a key of m as in marks.
func marked(m, marks map[string]string, key string) map[string]string {
	v, ok := marks[key]
	switch {
	case !ok:
		delete(m, key)
	case m == nil:
		m = map[string]string{key: v}
	default:
		m[key] = v
	}
	return m
}
