package fingerprint

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/applyorder"
	"github.com/accord-dev/accord/propagate/decode"
	"github.com/accord-dev/accord/propagate/stage"
	"github.com/accord-dev/accord/render"
)

var (
	pinID  = manifest.ID{Kind: "Secret", Namespace: "shop", Name: "pin"}
	openID = manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: "open"}
)

func TestFingerprintsDependOnTheKey(t *testing.T) {
	zero, again, other := New(make([]byte, KeySize), true), New(make([]byte, KeySize), true), New([]byte("another"), true)
	require.Regexp(t, `^hmac-sha256:[0-9a-f]{32}$`, zero.short("0123456789abcdef"))
	require.Regexp(t, `^hmac-sha256:[0-9a-f]{64}$`, zero.long("sha256:0"))
	require.Equal(t, zero.short("a"), again.short("a"), "only the key counts")
	require.NotEqual(t, zero.short("a"), zero.short("b"))
	require.NotEqual(t, zero.short("a"), other.short("a"))
	require.NotEqual(t, zero.long("a"), other.long("a"))
}

// TestDigestsWithSecretsAreReplaced checks that a digest stays as it is unless it covers a Secret.
func TestDigestsWithSecretsAreReplaced(t *testing.T) {
	plan, rollout := pinned(t)
	for name, durable := range map[string]bool{"a durable key": true, "a key of this process only": false} {
		t.Run(name, func(t *testing.T) {
			k := New([]byte("key"), durable)
			require.Equal(t, "0123456789abcdef", k.Object(openID, "0123456789abcdef"))
			require.Equal(t, k.short("0123456789abcdef"), k.Object(pinID, "0123456789abcdef"))
			require.Empty(t, k.Object(pinID, ""), "no digest stays none")

			require.Equal(t, plan.ClusterDigest("open"), k.Cluster(plan, "open"))
			require.Equal(t, rollout.Digest("open"), k.Rollout(rollout, "open"))
			if !durable { // the next process could not compare them
				require.Equal(t, plan.ClusterDigest("both"), k.Cluster(plan, "both"))
				require.Equal(t, rollout.Digest("both"), k.Rollout(rollout, "both"))
				require.Equal(t, "0123456789abcdef", k.Staged(pinID, "0123456789abcdef"))
				return
			}
			require.Equal(t, k.long(plan.ClusterDigest("both")), k.Cluster(plan, "both"))
			require.Regexp(t, `^[0-9a-f]{32}$`, k.Rollout(rollout, "both"))
			require.NotEqual(t, rollout.Digest("both"), k.Rollout(rollout, "both"))
			items := slices.Clone(rollout.Items("both"))
			for i := range items { // as the live objects are summed up
				items[i].Digest = k.Staged(items[i].ID, items[i].Digest)
			}
			require.Equal(t, k.Rollout(rollout, "both"), stage.Sum(items))
		})
	}
}

// pinned returns a plan that gives cluster "both" a Secret and a ConfigMap, and cluster "open" only the ConfigMap, in stages.
func pinned(t *testing.T) (*propagate.Plan, *propagate.Rollout) {
	t.Helper()
	const text = `{apiVersion: v1, kind: Secret, metadata: {namespace: shop, name: pin}, stringData: {pin: "4711"}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {namespace: shop, name: open}, data: {key: "1"}}
---
apiVersion: accord.dev/v1alpha1
kind: RolloutPolicy
metadata: {namespace: shop, name: all}
spec:
  resourceSelectors: [{apiVersion: v1, kind: Secret}, {apiVersion: v1, kind: ConfigMap}]
  stages: [{name: all}]
`
	policies := ""
	for kind, clusters := range map[string]string{"Secret": "both", "ConfigMap": "both, open"} {
		policies += fmt.Sprintf("---\n{apiVersion: policy.karmada.io/v1alpha1, kind: PropagationPolicy, metadata: {namespace: shop, name: %q}, spec: "+
			"{resourceSelectors: [{apiVersion: v1, kind: %s}], placement: {clusterAffinity: {clusterNames: [%s]}}}}\n", "p-"+strings.ToLower(kind), kind, clusters)
	}
	objects, err := render.Build(fstest.MapFS{"all.yaml": {Data: []byte(text + policies)}}, render.Options{})
	require.NoError(t, err)
	parts, err := decode.Sort(objects)
	require.NoError(t, err)
	in := parts.Input().WithFederation(&v1alpha1.Federation{})
	in.Fleet = []fleet.Cluster{{Name: "both"}, {Name: "open"}}
	plan, err := propagate.New(in)
	require.NoError(t, err)
	require.Len(t, plan.Rollouts(), 1)
	require.Len(t, plan.Rollouts()[0].Items("both"), 2)
	return plan, plan.Rollouts()[0]
}

// TestASecretIsFoundAmongOthers: wherever the objects before and after it in apply order end, a Secret counts, and nothing else does.
func TestASecretIsFoundAmongOthers(t *testing.T) {
	kinds := []manifest.ID{
		{Kind: "Namespace"}, {Kind: "ServiceAccount"}, {Kind: "ConfigMap"}, {Kind: "Secret"}, {Group: "example.com", Kind: "Secret"}, {Group: "bitnami.com", Kind: "SealedSecret"},
		{Kind: "Service"}, {Group: "apps", Kind: "Deployment"},
	}
	for chosen := range 1 << len(kinds) {
		var objects []propagate.Placed
		for i, id := range kinds {
			if chosen&(1<<i) == 0 {
				continue
			}
			for _, name := range []string{"", "a", "z"} {
				id.Namespace, id.Name = name, name
				objects = append(objects, propagate.Placed{Rendered: &propagate.Rendered{ID: id}})
			}
		}
		slices.SortFunc(objects, func(a, b propagate.Placed) int { return applyorder.Compare(a.ID, b.ID) })
		require.Equal(t, chosen&(1<<3) != 0, hasSecret(objects), "%v", objects)
	}
}
