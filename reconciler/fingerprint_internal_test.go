package reconciler

import (
	"fmt"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/stage"
	"github.com/accord-dev/accord/render"
)

var (
	pinID  = manifest.ID{Kind: "Secret", Namespace: "shop", Name: "pin"}
	openID = manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: "open"}
)

func TestFingerprintsOfDigests(t *testing.T) {
	mine, again, other := &fingerprints{key: make([]byte, fingerprintKeySize)}, &fingerprints{key: make([]byte, fingerprintKeySize)}, newFingerprints()
	require.Regexp(t, `^hmac:[0-9a-f]{16}$`, mine.of("0123456789abcdef"))
	require.Regexp(t, `^hmac-sha256:[0-9a-f]{64}$`, mine.ofWhole("sha256:0"))
	require.Equal(t, mine.of("a"), again.of("a"), "the key is all that counts")
	require.NotEqual(t, mine.of("a"), mine.of("b"))
	require.NotEqual(t, mine.of("a"), other.of("a"))
	require.NotEqual(t, newFingerprints().of("a"), other.of("a"), "every process makes another key")
	require.NotEqual(t, mine.ofWhole("a"), other.ofWhole("a"))
}

// A digest is told as it is unless a Secret is part of what it is of.
func TestWhatIsToldOfDigests(t *testing.T) {
	plan, rollout := pinned(t)
	for name, lasting := range map[string]bool{"a key that lasts": true, "a key of this process only": false} {
		t.Run(name, func(t *testing.T) {
			f := &federation{fingerprints: newFingerprints()}
			f.fingerprints.lasting = lasting
			require.Equal(t, "0123456789abcdef", f.shown(openID, "0123456789abcdef"))
			require.Equal(t, f.fingerprints.of("0123456789abcdef"), f.shown(pinID, "0123456789abcdef"))
			require.Empty(t, f.shown(pinID, ""), "there is none: that is told as it is")

			require.Equal(t, plan.ClusterDigest("open"), f.targetDigest(plan, "open"))
			require.Equal(t, rollout.Digest("open"), f.wanted(rollout, "open"))
			if !lasting { // the next process could not tell what is the same
				require.Equal(t, plan.ClusterDigest("both"), f.targetDigest(plan, "both"))
				require.Equal(t, rollout.Digest("both"), f.wanted(rollout, "both"))
				require.Equal(t, "0123456789abcdef", f.stagedDigest(pinID, "0123456789abcdef"))
				return
			}
			require.Equal(t, f.fingerprints.ofWhole(plan.ClusterDigest("both")), f.targetDigest(plan, "both"))
			require.Regexp(t, `^[0-9a-f]{32}$`, f.wanted(rollout, "both"))
			require.NotEqual(t, rollout.Digest("both"), f.wanted(rollout, "both"))
			items := slices.Clone(rollout.Items("both"))
			for i := range items { // as what is live is added up
				items[i].Digest = f.stagedDigest(items[i].ID, items[i].Digest)
			}
			require.Equal(t, f.wanted(rollout, "both"), stage.Sum(items))
		})
	}
}

// pinned is a plan in which cluster "both" gets a Secret and a ConfigMap, and "open" only that; all of it is staged.
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
			"{resourceSelectors: [{apiVersion: v1, kind: %s}], placement: {clusterAffinity: {clusterNames: [%s]}}}}\n", "p-"+kind[:1], kind, clusters)
	}
	objects, err := render.Build(fstest.MapFS{"all.yaml": {Data: []byte(text + policies)}}, render.Options{})
	require.NoError(t, err)
	parts, err := propagate.Sort(objects)
	require.NoError(t, err)
	in := parts.Input().WithFederation(&v1alpha1.Federation{})
	in.Fleet = []fleet.Cluster{{Name: "both"}, {Name: "open"}}
	plan, err := propagate.New(in)
	require.NoError(t, err)
	require.Len(t, plan.Rollouts(), 1)
	require.Len(t, plan.Rollouts()[0].Items("both"), 2)
	return plan, plan.Rollouts()[0]
}
