package policy_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
)

// The decoders keep three promises whatever they are given: they never panic; every mistake is a *manifest.Error in a
// line that is there; and what was decoded, written down and decoded again is the same.

func FuzzDecode(f *testing.F) {
	for _, c := range append(policyFields(), failoverFields()...) {
		f.Add(propagation("PropagationPolicy", c.write))
	}
	for _, c := range append(placementFields(), replicaFields()...) {
		f.Add(propagation("ClusterPropagationPolicy", c.write))
	}
	fuzz(f, func(u *unstructured.Unstructured, text []byte, origin manifest.Origin) (policy.Meta, any, error) {
		p, err := policy.Decode(u, text, origin)
		return p.Meta, p.Spec, err
	})
}

func FuzzDecodeOverride(f *testing.F) {
	for _, c := range append(ruleFields(), overriderFields("overrideRules: [{overriders: {", "}}]")...) {
		f.Add(overriding("OverridePolicy", c.write))
	}
	for _, c := range overriderFields("targetCluster: {}\noverriders: {", "}") {
		f.Add(overriding("ClusterOverridePolicy", c.write))
	}
	fuzz(f, func(u *unstructured.Unstructured, text []byte, origin manifest.Origin) (policy.Meta, any, error) {
		o, err := policy.DecodeOverride(u, text, origin)
		return o.Meta, o.Spec, err
	})
}

func FuzzDecodeTaintPolicy(f *testing.F) {
	for _, c := range conditionFields("addOnConditions") {
		f.Add(overriding("ClusterTaintPolicy", "taints: [{key: a, effect: NoSchedule}]\n"+c.write))
	}
	f.Add(overriding("ClusterTaintPolicy", "targetClusters: {exclude: [a]}\ntaints: [{key: a, effect: NoExecute}]\n"))
	fuzz(f, func(u *unstructured.Unstructured, text []byte, origin manifest.Origin) (policy.Meta, any, error) {
		t, err := policy.DecodeTaintPolicy(u, text, origin)
		return t.Meta, t.Spec, err
	})
}

func FuzzDecodeRebalancer(f *testing.F) {
	const head = "apiVersion: apps.karmada.io/v1alpha1\nkind: WorkloadRebalancer\nmetadata: {name: web}\nspec:\n"
	f.Add(head + "  workloads: [{apiVersion: apps/v1, kind: Deployment, namespace: shop, name: web}]\n")
	f.Add(head + "  ttlSecondsAfterFinished: 60\n  workloads: web\n")
	fuzz(f, func(u *unstructured.Unstructured, text []byte, origin manifest.Origin) (policy.Meta, any, error) {
		r, err := policy.DecodeRebalancer(u, text, origin)
		return r.Meta, r.Spec, err
	})
}

type decoder func(u *unstructured.Unstructured, text []byte, origin manifest.Origin) (policy.Meta, any, error)

func fuzz(f *testing.F, decode decoder) {
	f.Fuzz(func(t *testing.T, text string) {
		u := &unstructured.Unstructured{}
		encoded, err := yaml.YAMLToJSON([]byte(text))
		if err != nil || json.Unmarshal(encoded, &u.Object) != nil {
			return
		}
		meta, spec, err := decode(u, []byte(text), origin)
		if err != nil {
			for _, mistake := range mistakes(t, err) {
				require.Equal(t, "p.yaml", mistake.Origin.Path)
				require.NotEmpty(t, mistake.Message)
				require.Positive(t, mistake.Origin.Line)
				require.LessOrEqual(t, mistake.Origin.Line, strings.Count(text, "\n")+1)
			}
			return
		}
		for _, d := range meta.Deprecated {
			require.LessOrEqual(t, len(d.Instead), 4<<10)
		}
		again := map[string]any{"apiVersion": u.GetAPIVersion(), "kind": u.GetKind(), "metadata": metadataOf(meta), "spec": spec}
		second, respec, err := decode(object(t, string(asJSON(t, again))), nil, origin)
		require.NoError(t, err)
		require.Equal(t, meta.String(), second.String())
		require.Equal(t, string(asJSON(t, spec)), string(asJSON(t, respec)))
	})
}

func metadataOf(m policy.Meta) map[string]any {
	return map[string]any{"namespace": m.Namespace, "name": m.Name, "labels": m.Labels}
}

// mistakes are the errors that were joined.
func mistakes(t *testing.T, err error) []*manifest.Error {
	joined, ok := err.(interface{ Unwrap() []error })
	require.True(t, ok)
	var all []*manifest.Error
	for _, e := range joined.Unwrap() {
		mistake, ok := errors.AsType[*manifest.Error](e)
		require.True(t, ok, "%v", e)
		all = append(all, mistake)
	}
	return all
}

func asJSON(t *testing.T, value any) []byte {
	encoded, err := json.Marshal(value)
	require.NoError(t, err)
	return encoded
}
