package apply

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/apply/live"
)

const foreignNamespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: NS}\n"

func foreignConfigMap(name, value string) string {
	return strings.TrimSuffix(configMap(name, value), "---\n")
}

// overwriting is target with conflictResolution: Overwrite.
func overwriting(target propagate.ClusterPlan) propagate.ClusterPlan {
	for i := range target.Objects {
		target.Objects[i].Overwrite = true
	}
	return target
}

func TestNamespaceThatExistedIsAdoptedAndNeverDeleted(t *testing.T) {
	w := newWorld(t, "adopted")
	w.options.AllowPrune = true
	w.create(foreignNamespace)
	outcome := w.delivered(w.target(namespaceYAML + configMap("one", "1")))
	namespace := manifest.ID{Kind: "Namespace", Name: w.namespace}
	require.Equal(t, []manifest.ID{namespace}, outcome.Adopted)
	require.True(t, seenIn(&w.live, namespace).Adopted)
	require.Zero(t, w.delivered(w.target(namespaceYAML+configMap("one", "1"))).Requests)

	outcome = w.delivered(w.target(""))
	require.Equal(t, []manifest.ID{namespace}, outcome.Released)
	require.Equal(t, []manifest.ID{w.id("ConfigMap", "one")}, outcome.Pruned)
	require.Empty(t, outcome.Inventory)
	live := w.get("Namespace", "", w.namespace)
	require.NotContains(t, live.GetLabels(), v1alpha1.PartOfLabel)
	require.NotContains(t, live.GetAnnotations(), v1alpha1.DigestAnnotation)
	require.NotContains(t, live.GetAnnotations(), v1alpha1.AdoptedAnnotation)
}

func TestWhatExistsAndIsNotOurs(t *testing.T) {
	many := ""
	for _, name := range []string{"a", "b", "c", "d"} {
		many += configMap(name, "ours")
	}
	for name, others := range map[string]string{"alone": "", "among-many": many} {
		t.Run(name+" is left as it is", func(t *testing.T) {
			w := newWorld(t, "abort-"+name)
			w.create(foreignNamespace)
			w.create(foreignConfigMap("theirs", "theirs"))
			version := w.get("ConfigMap", w.namespace, "theirs").GetResourceVersion()
			outcome := w.deliver(w.target(namespaceYAML + configMap("theirs", "ours") + others))
			var p *live.Problem
			require.ErrorAs(t, outcome.Errors[w.id("ConfigMap", "theirs")], &p)
			require.Equal(t, live.Conflict, p.Reason)
			require.ErrorContains(t, p, "exists and is not managed by accord")
			require.Len(t, outcome.Errors, 1)
			require.Equal(t, version, w.get("ConfigMap", w.namespace, "theirs").GetResourceVersion())
			require.NotContains(t, outcome.Inventory, w.id("ConfigMap", "theirs").Entry())
		})
		t.Run(name+" is taken over", func(t *testing.T) {
			w := newWorld(t, "overwrite-"+name)
			w.create(foreignNamespace)
			w.create(foreignConfigMap("theirs", "theirs"))
			outcome := w.delivered(overwriting(w.target(configMap("theirs", "ours") + others)))
			require.Equal(t, []manifest.ID{w.id("ConfigMap", "theirs")}, outcome.Adopted)
			require.Equal(t, "ours", w.get("ConfigMap", w.namespace, "theirs").Object["data"].(map[string]any)["key"])
		})
	}
}

func TestTakingOverWhatIsTheSameRestartsNothing(t *testing.T) {
	w := newWorld(t, "gentle")
	w.create(foreignNamespace)
	w.create(strings.TrimSuffix(deploymentYAML, "---\n"))
	before := w.get("Deployment", w.namespace, "web").Object["spec"]
	w.delivered(overwriting(w.target(deploymentYAML)))
	live := w.get("Deployment", w.namespace, "web")
	require.Equal(t, before, live.Object["spec"])
	require.Equal(t, 1, w.live.Len())
}

func TestObjectOfAnotherFederation(t *testing.T) {
	first, second := newWorld(t, "neighbours"), newWorld(t, "intruder")
	second.namespace = first.namespace
	first.delivered(first.target(namespaceYAML + configMap("one", "first")))

	target := overwriting(second.target(namespaceYAML + configMap("one", "second") + configMap("two", "second")))
	target.Objects[0].Implied = true
	outcome := second.deliver(target)
	require.Len(t, outcome.Errors, 1)
	require.ErrorContains(t, outcome.Errors[second.id("ConfigMap", "one")], "default/neighbours")
	require.Equal(t, []manifest.ID{second.id("ConfigMap", "two")}, outcome.Applied)
	require.Equal(t, []manifest.ID{{Kind: "Namespace", Name: first.namespace}}, outcome.Shared)
	require.Equal(t, []string{second.id("ConfigMap", "two").Entry()}, outcome.Inventory)

	target.Objects = append(target.Objects[:1:1], target.Objects[2])
	require.Zero(t, second.delivered(target).Requests, "a namespace that only has to be there is not asked for while its objects are")

	second.options.AllowPrune, first.options.AllowPrune = true, true
	gone := first.delivered(first.target(""))
	require.Equal(t, []manifest.ID{first.id("ConfigMap", "one")}, gone.Pruned)
	require.Contains(t, gone.Orphaned[manifest.ID{Kind: "Namespace", Name: first.namespace}], "configmaps two")
	require.NotNil(t, second.get("ConfigMap", second.namespace, "two"))
}

func TestRecreatedByHandIsNotDeleted(t *testing.T) {
	w := newWorld(t, "reborn")
	w.delivered(w.target(namespaceYAML + configMap("one", "1")))
	stale := w.live
	w.remove("ConfigMap", "one")
	w.create(foreignConfigMap("one", "theirs"))
	outcome, err := Deliver(t.Context(), w.member, w.federation, w.target(namespaceYAML), &stale, read(w.inventory...), w.options)
	require.NoError(t, err)
	require.Empty(t, outcome.Pruned)
	require.ErrorContains(t, outcome.Errors[w.id("ConfigMap", "one")], "UID")
	require.NotNil(t, w.get("ConfigMap", w.namespace, "one"))
}

func TestSecretsAreNotQuoted(t *testing.T) {
	w := newWorld(t, "discreet")
	u := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "s", "namespace": w.namespace},
		"stringData": map[string]any{"pin": int64(4711)},
	}}
	target := w.target(namespaceYAML)
	target.Objects = append(target.Objects, w.placed(u))
	outcome := w.deliver(target)
	require.NotContains(t, outcome.Errors[w.id("Secret", "s")].Error(), "4711")
}

// A member that was joined under two names would be given what each is to have, and lose what the other is.
func TestOneMemberUnderTwoNames(t *testing.T) {
	w := newWorld(t, "twice")
	w.delivered(w.target(namespaceYAML + configMap("one", "1")))
	w.member.Name = "alias"
	_, err := Discover(t.Context(), w.member, w.federation)
	require.ErrorContains(t, err, "cluster alias is cluster member")
	_, err = Deliver(t.Context(), w.member, w.federation, w.target(namespaceYAML+configMap("two", "2")), &live.Objects{}, nil, w.options)
	require.ErrorContains(t, err, "cluster alias is cluster member")
	require.Nil(t, w.get("ConfigMap", w.namespace, "two"))
	require.NotNil(t, w.get("ConfigMap", w.namespace, "one"))
}
