package apply

import (
	"context"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/importer"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/render"
)

// liveObject returns the live object of a task; nil unless Fields is set and the object exists.
func (t *trial) liveObject(ctx context.Context, x *task) (before *unstructured.Unstructured, err error) {
	if !t.fields || !x.exists {
		return nil, nil
	}
	resource, err := t.resource(x.GVK, x.ID)
	if err != nil {
		return nil, err
	}
	err = t.request(ctx, func(ctx context.Context) (err error) {
		before, err = t.tenant.Objects.Resource(resource).Namespace(x.ID.Namespace).Get(ctx, x.ID.Name, metav1.GetOptions{})
		return err
	})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return before, err
}

// tryFields sends the dry-run of an object that exists, and records the fields that it changes.
func (t *trial) tryFields(ctx context.Context, x *task, before *unstructured.Unstructured, body []byte, options metav1.PatchOptions) error {
	resource, err := t.resource(x.GVK, x.ID)
	if err != nil {
		return err
	}
	after, err := t.tenant.Objects.Resource(resource).Namespace(x.ID.Namespace).Patch(ctx, x.ID.Name, types.ApplyPatchType, body, options)
	if err != nil {
		return err
	}
	withoutMarks(before)
	withoutMarks(after)
	changed := importer.Differences(before, after)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.answer.Compared++
	if len(changed) > 0 {
		t.answer.Changed = append(t.answer.Changed, live.Change{ID: x.ID, Fields: changed})
	}
	return nil
}

// withoutMarks removes the fields that the cluster writes, and the marks with which accord finds its objects again.
func withoutMarks(u *unstructured.Unstructured) {
	render.Strip(u)
	labels, annotations := u.GetLabels(), u.GetAnnotations()
	delete(labels, v1alpha1.PartOfLabel)
	for key := range annotations {
		if strings.HasPrefix(key, v1alpha1.GroupVersion.Group+"/") {
			delete(annotations, key)
		}
	}
	u.SetLabels(labels)
	u.SetAnnotations(annotations)
}
