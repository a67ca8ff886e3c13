package policy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/policy"
)

// TestHints has every name that people write and that is none, where they write it.
func TestHints(t *testing.T) {
	const noSuch = "; there is no such overrider; "
	for _, c := range []struct{ spec, says string }{
		{"placement: {clusters: [a]}", `"clusters" in spec.placement; did you mean "clusterAffinity.clusterNames"?`},
		{"placement: {clusterSelector: {}}", `"clusterSelector" in spec.placement; did you mean "clusterAffinity.labelSelector"?`},
		{"placement: {clusterAffinity: {clusterSelector: {}}}", `"clusterSelector" in spec.placement.clusterAffinity; did you mean "labelSelector"?`},
		{"placement: {clusterAffinity: {excludeClusters: [a]}}", `"excludeClusters" in spec.placement.clusterAffinity; did you mean "exclude"?`},
		{"placement: {tolerations: []}", `"tolerations" in spec.placement; did you mean "clusterTolerations"?`},
		{"placement: {replicaScheduling: {weights: {}}}", `"weights" in spec.placement.replicaScheduling; did you mean "weightPreference.staticWeightList"?`},
		{"suspend: true", `"suspend" in spec; did you mean "suspension"?`},
		{"suspended: true", `"suspended" in spec; did you mean "suspension"?`},
	} {
		_, err := decode(t, propagation("PropagationPolicy", c.spec))
		require.EqualError(t, err, "p.yaml:6: unknown field "+c.says)
	}
	for _, c := range []struct{ spec, says string }{
		{"rules: []", `"rules" in spec; did you mean "overrideRules"?`},
		{"overrides: []", `"overrides" in spec; did you mean "overrideRules"?`},
		{"overriders: {plaintextOverrider: []}", `"plaintextOverrider" in spec.overriders; did you mean "plaintext"?`},
		{"overriders: {jsonpatch: []}", `"jsonpatch" in spec.overriders; did you mean "plaintext"?`},
		{"overriders: {image: []}", `"image" in spec.overriders; did you mean "imageOverrider"?`},
		{"overriders: {envs: []}", `"envs" in spec.overriders` + noSuch + `write plaintext with path "/spec/template/spec/containers/0/env"`},
		{"overriders: {replicasOverrider: []}", `"replicasOverrider" in spec.overriders` + noSuch + `write plaintext with path "/spec/replicas"`},
		{"overriders: {replicaOverrider: []}", `"replicaOverrider" in spec.overriders` + noSuch + `write plaintext with path "/spec/replicas"`},
		{"overriders: {resourcesOverrider: []}", `"resourcesOverrider" in spec.overriders` + noSuch + `write plaintext with path "/spec/template/spec/containers/0/resources"`},
		{"overriders: {resourceOverrider: []}", `"resourceOverrider" in spec.overriders` + noSuch + `write plaintext with path "/spec/template/spec/containers/0/resources"`},
		{"overriders: {envOverrider: []}", `"envOverrider" in spec.overriders` + noSuch + `write plaintext with path "/spec/template/spec/containers/0/env"`},
		{"overriders: {namespaceOverrider: []}", `"namespaceOverrider" in spec.overriders` + noSuch + `an object in another namespace is another object`},
	} {
		text := overriding("OverridePolicy", c.spec)
		_, err := policy.DecodeOverride(object(t, text), []byte(text), origin)
		require.EqualError(t, err, "p.yaml:5: unknown field "+c.says)
	}
}
