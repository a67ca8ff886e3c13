package reconciler_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// TestReplicasTellNoDigestOfASecret has a Secret that can be guessed go through stages on clusters that three replicas share:
// what they write to each other has no digest of it either, and all have the same key, so that they agree on what is wanted.
func TestReplicasTellNoDigestOfASecret(t *testing.T) {
	t.Parallel()
	w := newReplicas(t, 3)
	r := w.federation("pin")
	everywhere := func(text string) string {
		others := strings.Join(w.clusters[1:], ", ")
		return strings.NewReplacer("[cluster-a, cluster-b]", "[cluster-a, "+others+"]", "[cluster-b]", "["+others+"]").Replace(text)
	}
	guessed, fingerprints := map[string]string{}, map[string]bool{}
	turn := func(pin string) {
		w.ready(r, r.push("pin "+pin, "policy.yaml", everywhere(secretPolicy), "rollout.yaml", everywhere(secretStages),
			"pin.yaml", secretManifest("pin", "stringData: {pin: '"+pin+"'}")))
		maps.Copy(guessed, w.digests(r, w.clusters...))
		for _, cluster := range w.clusters {
			s := &corev1.Secret{}
			require.NoError(t, w.object(cluster, s, "shop", "pin"))
			require.Equal(t, pin, string(s.Data["pin"]), cluster)
			require.Contains(t, guessed, s.Annotations[v1alpha1.DigestAnnotation])
		}
		o := w.observed(r, "pin")
		require.Len(t, o.Spec.Results, 1)
		for _, c := range o.Status.Clusters {
			require.Equal(t, o.Spec.Results[0].Digest, c.Digest, c.Cluster)
		}
		fingerprints[o.Spec.Results[0].Digest] = true
	}
	turn("4711")
	turn("4712")
	w.shared()
	w.kill(w.leader(r))
	turn("4711")
	require.Len(t, fingerprints, 2, "the next one that leads has the same key")

	places := w.everything("hub")
	for place, text := range places {
		for digest, of := range guessed {
			require.NotContains(t, text, digest, "%s: %s", place, of)
		}
	}
}
