package reconciler_test

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/client-go/util/retry"

	"github.com/stretchr/testify/require"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// defectR8Records deletes and edits a record of each kind by hand, its spec and its status.
func defectR8Records(t *testing.T, w *world) {
	r := w.federation("records")
	sha := r.push("one object", "app.yaml", configMap("recorded", "1"), "policy.yaml", policyFor("records", both, ""))
	release := w.ready(r, sha)
	object, err := w.federated(r, "recorded")
	require.NoError(t, err)
	for name, record := range map[string]client.Object{"Release": release, "Delivery": w.delivery(r, "cluster-a"), "FederatedObject": object} {
		t.Run(name, func(t *testing.T) {
			inner := *w
			inner.t = t
			inner.restores(record)
		})
	}
	t.Run("Inventory", func(t *testing.T) {
		inner := *w
		inner.t = t
		inner.restoresInventory(r)
	})

	bad := r.push("broken", "app.yaml", "data: [unclosed\n")
	broken := w.condition(r, bad, "Ready", metav1.ConditionFalse, "BuildFailed")
	w.editStatus(broken, func(conditions []metav1.Condition) {
		apimeta.FindStatusCondition(conditions, "Ready").Status = metav1.ConditionTrue
	})
	w.condition(r, bad, "Ready", metav1.ConditionFalse, "BuildFailed")
	w.editStatus(release, func(conditions []metav1.Condition) {
		apimeta.FindStatusCondition(conditions, "Superseded").Status = metav1.ConditionFalse
	})
	w.condition(r, sha, "Superseded", metav1.ConditionTrue, "")
}

// restores edits the status and the spec of a record that is Ready, and deletes it.
func (w *world) restores(record client.Object) {
	w.t.Helper()
	spec := specOf(record)
	restored := func() error {
		now := record.DeepCopyObject().(client.Object)
		if err := w.hub.Get(w.t.Context(), client.ObjectKeyFromObject(record), now); err != nil {
			return err
		}
		ready := apimeta.FindStatusCondition(conditionsOf(now), "Ready")
		same := specOf(now) == spec && ready != nil && ready.Status == metav1.ConditionTrue && ready.ObservedGeneration == now.GetGeneration()
		return unless(same, fmt.Sprintf("%s %+v", specOf(now), ready))
	}
	w.editStatus(record, func(conditions []metav1.Condition) {
		ready := apimeta.FindStatusCondition(conditions, "Ready")
		ready.Status, ready.Message = metav1.ConditionFalse, "by hand"
	})
	w.eventually("the status to be restored", restored)

	require.NoError(w.t, retry.RetryOnConflict(retry.DefaultRetry, func() error { // the restoration writes twice
		edited := record.DeepCopyObject().(client.Object)
		require.NoError(w.t, w.hub.Get(w.t.Context(), client.ObjectKeyFromObject(record), edited))
		switch o := edited.(type) {
		case *v1alpha1.Release:
			o.Spec.Revision = "by hand"
		case *v1alpha1.Delivery:
			o.Spec.Revision = "by hand"
		case *v1alpha1.FederatedObject:
			o.Spec.Message, o.Spec.Results = "by hand", nil
		}
		return w.hub.Update(w.t.Context(), edited, client.FieldOwner("somebody"))
	}))
	w.eventually("the spec to be restored", restored)

	require.NoError(w.t, w.hub.Delete(w.t.Context(), record))
	w.eventually("it to be there again", restored)
}

// restoresInventory edits a part of an inventory, and deletes it.
func (w *world) restoresInventory(r *repository) {
	w.t.Helper()
	key, part := client.ObjectKey{Namespace: w.namespace, Name: r.federation + "-cluster-a-0"}, &v1alpha1.Inventory{}
	require.NoError(w.t, w.hub.Get(w.t.Context(), key, part))
	restored := func() error {
		now := &v1alpha1.Inventory{}
		if err := w.hub.Get(w.t.Context(), key, now); err != nil {
			return err
		}
		same := apiequality.Semantic.DeepEqual(part.Spec, now.Spec) && now.OwnerReferences[0].UID == w.delivery(r, "cluster-a").UID
		return unless(same, fmt.Sprint(now.OwnerReferences, now.Spec))
	}
	w.eventually("the owner to be the Delivery that was created again", restored)
	require.NoError(w.t, retry.RetryOnConflict(retry.DefaultRetry, func() error {
		edited := &v1alpha1.Inventory{}
		require.NoError(w.t, w.hub.Get(w.t.Context(), key, edited))
		edited.Spec.Entries, edited.Spec.To = nil, "somebody"
		return w.hub.Update(w.t.Context(), edited, client.FieldOwner("somebody"))
	}))
	w.eventually("the entries to be restored", restored)
	require.NoError(w.t, w.hub.Delete(w.t.Context(), part))
	w.eventually("it to be there again", restored)
}

// editStatus changes the conditions of a record as somebody else.
func (w *world) editStatus(record client.Object, edit func([]metav1.Condition)) {
	w.t.Helper()
	w.eventually("the edit of "+record.GetName(), func() error { // accord may write at the same time
		now := record.DeepCopyObject().(client.Object)
		if err := w.hub.Get(w.t.Context(), client.ObjectKeyFromObject(record), now); err != nil {
			return err
		}
		edit(conditionsOf(now))
		return w.hub.Status().Update(w.t.Context(), now, client.FieldOwner("somebody"))
	})
}

func conditionsOf(record client.Object) []metav1.Condition {
	switch o := record.(type) {
	case *v1alpha1.Release:
		return o.Status.Conditions
	case *v1alpha1.Delivery:
		return o.Status.Conditions
	case *v1alpha1.FederatedObject:
		return o.Status.Conditions
	}
	return nil
}

// specOf shows the fields of a spec that the test edits.
func specOf(record client.Object) string {
	switch o := record.(type) {
	case *v1alpha1.Release:
		return o.Spec.Revision
	case *v1alpha1.Delivery:
		return o.Spec.Revision
	case *v1alpha1.FederatedObject:
		return strings.TrimSpace(fmt.Sprint(o.Spec.Message, " ", o.Spec.Results))
	}
	return ""
}
