package reconciler_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// federationInGit is the manifest of a Federation of a repository.
func federationInGit(namespace, name string, of *repository, interval string) string {
	return fmt.Sprintf("apiVersion: accord.dev/v1alpha1\nkind: Federation\nmetadata: {namespace: %s, name: %s}\nspec:\n  prune: true\n  interval: %s\n  sources:\n  - {name: main, url: %q, ref: {branch: main}}\n",
		namespace, name, interval, of.bare)
}

// federationOnHub reads a Federation of the hub; nil if there is none.
func (w *world) federationOnHub(namespace, name string) *v1alpha1.Federation {
	w.t.Helper()
	fed := &v1alpha1.Federation{}
	err := w.hub.Get(w.t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, fed)
	if apierrors.IsNotFound(err) {
		return nil
	}
	require.NoError(w.t, err)
	return fed
}

// patchFederation changes a Federation of the hub as a person would.
func (w *world) patchFederation(fed *v1alpha1.Federation, patch string) {
	w.t.Helper()
	require.NoError(w.t, w.hub.Patch(w.t.Context(), fed, client.RawPatch(types.MergePatchType, []byte(patch)), client.FieldOwner("somebody")))
}

// federationsInGit: a Federation declares others, one of them in a namespace that does not exist, changes them, repairs a deletion, and
// deletes them only for a commit that allows it, and never itself.
func federationsInGit(t *testing.T, w *world) {
	child := newRepository(t)
	w.follow(child, "git-child")
	live := child.push("first", "app.yaml", configMap("git-child", "1"), "policy.yaml", policyFor("git-child", both, ""))
	far, root := newRepository(t), newRepository(t)
	far.push("no object", "note.txt", "nothing")
	root.federation = "git-root"
	root.push("first", "child.yaml", federationInGit(w.namespace, "git-child", child, "1s"), "far.yaml", federationInGit("git-far", "far", far, "1h"))
	w.declare(root, func(spec *v1alpha1.FederationSpec) { spec.DeclareFederations = true })

	w.ready(child, live)
	require.Equal(t, "1", w.configMap("cluster-a", "git-child").Data["key"])
	w.eventually("the Federation of the other namespace", func() error {
		return unless(w.federationOnHub("git-far", "far") != nil, "it is not there")
	})
	fed := w.federationOnHub(w.namespace, "git-child")
	require.Equal(t, w.namespace+".git-root", fed.Labels[v1alpha1.SourceLabel])

	require.NoError(t, w.hub.Delete(t.Context(), fed))
	w.eventually("a deleted Federation to be declared again", func() error {
		again := w.federationOnHub(w.namespace, "git-child")
		return unless(again != nil && again.UID != fed.UID, "it is not there")
	})
	w.ready(root, root.push("slower", "child.yaml", federationInGit(w.namespace, "git-child", child, "2s")))
	require.Equal(t, "2s", w.federationOnHub(w.namespace, "git-child").Spec.Interval.Duration.String())

	w.patchFederation(w.federationOnHub(w.namespace, "git-child"), `{"spec":{"interval":"3s"}}`)
	w.buildFailed(root, root.push("somebody else's field", "child.yaml", federationInGit(w.namespace, "git-child", child, "4s")),
		"child.yaml:", `"somebody" set spec.interval on the hub`)
	require.Equal(t, "3s", w.federationOnHub(w.namespace, "git-child").Spec.Interval.Duration.String())
	w.ready(root, root.push("what the hub has", "child.yaml", federationInGit(w.namespace, "git-child", child, "3s")))

	rival := newRepository(t)
	rival.federation = "git-rival"
	w.declare(rival, func(spec *v1alpha1.FederationSpec) { spec.DeclareFederations = true })
	w.buildFailed(rival, rival.push("mine", "far.yaml", federationInGit("git-far", "far", rival, "1h")), "already declared by federation "+w.namespace+".git-root")
	invalid := federationInGit("git-far", "invalid", rival, "soon")
	w.buildFailed(rival, rival.push("an interval without unit", "far.yaml", "", "invalid.yaml", invalid), "invalid.yaml:", "interval")
	w.buildFailed(rival, rival.push("a misspelled field", "invalid.yaml", "", "odd.yaml", federationInGit("git-far", "odd", rival, "1h")+"  prun: true\n"), "odd.yaml:", "prune")

	w.buildFailed(root, root.push("leave", "far.yaml", ""), "federation git-far/far left Git", "Accord-Prune: allow")
	require.NotNil(t, w.federationOnHub("git-far", "far"))
	w.ready(root, root.push("leave\n\nAccord-Prune: allow", "note.txt", "nothing"))
	require.Nil(t, w.federationOnHub("git-far", "far"))
	w.ready(root, root.push("leave, too\n\nAccord-Prune: allow", "child.yaml", ""))
	require.NotNil(t, w.federationOnHub(w.namespace, "git-child"), "somebody else set a field of it")
	require.Equal(t, "1", w.configMap("cluster-a", "git-child").Data["key"])
}

// federationsWithoutDeclaring: a manifest of a Federation is an object like any other where its own Federation declares none.
func federationsWithoutDeclaring(t *testing.T, w *world) {
	r := w.federation("plain")
	w.ready(r, r.push("a manifest", "app.yaml", configMap("plain", "1"), "policy.yaml", policyFor("plain", both, ""), "far.yaml", federationInGit("plain-far", "far", r, "1h")))
	require.Nil(t, w.federationOnHub("plain-far", "far"))
	require.True(t, apierrors.IsNotFound(w.hub.Get(t.Context(), client.ObjectKey{Name: "plain-far"}, &corev1.Namespace{})))
}

// ownFederation: a Federation declares itself, and stays when its manifest leaves Git.
func ownFederation(t *testing.T, w *world) {
	r := newRepository(t)
	w.follow(r, "own")
	own := federationInGit(w.namespace, "own", r, "1s") + "  declareFederations: true\n"
	first := r.push("first", "own.yaml", own)
	fields := client.FieldOwner("accord-source")
	fed := &v1alpha1.Federation{}
	fed.Namespace, fed.Name = w.namespace, "own"
	fed.Spec = v1alpha1.FederationSpec{Prune: true, DeclareFederations: true, Sources: []v1alpha1.Source{r.source("main")}}
	fed.Spec.Interval.Duration = 1e9
	require.NoError(t, w.hub.Create(t.Context(), fed, fields))
	w.ready(r, first)
	require.Equal(t, w.namespace+".own", w.declared(r).Labels[v1alpha1.SourceLabel])
	w.ready(r, r.push("limits", "own.yaml", own+"  pruneLimits: {maxObjects: 7}\n"))
	require.EqualValues(t, 7, *w.declared(r).Spec.PruneLimits.MaxObjects)
	w.ready(r, r.push("gone\n\nAccord-Prune: allow", "own.yaml", ""))
	require.Nil(t, w.declared(r).DeletionTimestamp)
}
