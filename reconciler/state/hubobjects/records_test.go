package hubobjects

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
)

var web = manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: "web"}

func object(message string) *v1alpha1.FederatedObject {
	o := &v1alpha1.FederatedObject{Spec: v1alpha1.FederatedObjectSpec{
		Message: message, Template: v1alpha1.TemplateRef{APIVersion: "v1", Kind: web.Kind, Namespace: web.Namespace, Name: web.Name},
	}}
	o.Name = "prod-web"
	return o
}

func TestADeferredObjectIsCreated(t *testing.T) {
	r := New()
	decided := object("")
	r.Defer(decided)
	require.True(t, r.IsDeferred(web))
	require.Nil(t, r.Named("prod-web"), "the hub should not have it yet")

	created := object("")
	require.True(t, r.Created(decided, created))
	require.False(t, r.IsDeferred(web))
	require.Same(t, created, r.Named("prod-web"))
	require.Same(t, created, r.Remove(web))
	require.Zero(t, r.Len())
}

func TestAnObjectThatChangesWhileItIsCreatedStaysDeferred(t *testing.T) {
	r := New()
	decided := object("")
	r.Defer(decided)
	r.Defer(object("another decision"))
	require.True(t, r.Created(decided, object("")))
	require.True(t, r.IsDeferred(web))
	require.True(t, r.IsDoubtful(web), "the hub has the decision before")

	r.Remove(web)
	require.False(t, r.Created(decided, object("")), "it left Git while it was created")
}

func TestAFailedCreateLeavesDoubt(t *testing.T) {
	r := New()
	r.Doubt(web)
	require.Zero(t, r.Missing(), "an object without a record")
	r.Defer(object(""))
	require.Nil(t, r.Remove(web), "the hub has nothing to delete")

	r.Defer(object(""))
	r.Doubt(web)
	again := object("another decision")
	r.Defer(again)
	require.True(t, r.IsDoubtful(web))
	require.Same(t, again, r.Remove(web), "the hub may have it")

	r.Defer(again)
	r.Doubt(web)
	r.Set(again)
	require.False(t, r.IsDoubtful(web))
	require.Zero(t, r.Missing())
}

func TestAStatusIsRecordedOfAKnownObject(t *testing.T) {
	r := New()
	r.SetStatus(web, v1alpha1.FederatedObjectStatus{ObservedGeneration: 1})
	require.Zero(t, r.Len())
	before := object("")
	r.Set(before)
	r.SetStatus(web, v1alpha1.FederatedObjectStatus{ObservedGeneration: 1})
	require.EqualValues(t, 1, r.Of(web).Status.ObservedGeneration)
	require.Zero(t, before.Status.ObservedGeneration, "a reader may hold it")
}
