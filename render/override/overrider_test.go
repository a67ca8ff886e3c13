package override

import (
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/clusters/fleet"
)

// TestOverriders covers malformed objects and overriders that a policy file cannot contain.
func TestOverriders(t *testing.T) {
	const (
		pod  = `{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: a, image: "nginx:1", args: [--a, --b, --a]}]}}`
		data = `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: "1"}, list: [x, y]}`
	)
	for _, c := range []struct{ name, object, overriders, want, err string }{
		{"§3.3/no containers", `{apiVersion: v1, kind: Pod, metadata: {name: p}}`, `{imageOverrider: [{component: Tag, operator: replace, value: v2}]}`, `{apiVersion: v1, kind: Pod, metadata: {name: p}}`, ""},
		{"§3.3/containers that are none", `{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: nginx}}`, `{imageOverrider: [{component: Tag, operator: replace, value: v2}]}`, "", "spec.containers is not a list"},
		{"§3.3/container that is none", `{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [nginx]}}`, `{argsOverrider: [{containerName: a, operator: add, value: [v2]}]}`, "", "spec.containers[0] is not a container"},
		{"§3.3/spec that is none", `{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: 1}`, `{imageOverrider: [{component: Tag, operator: replace, value: v2}]}`, "", "every field above the containers must be an object"},
		{"§3.3/container without an image", `{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: a}]}}`, `{imageOverrider: [{component: Tag, operator: replace, value: v2}]}`, "", `container "a" has no image`},
		{"§3.3/predicate is literal", `{apiVersion: x/v1, kind: Any, metadata: {name: p}, a~1b: x}`, `{imageOverrider: [{predicate: {path: /a~1b}, component: Tag, operator: replace, value: v2}]}`,
			`{apiVersion: x/v1, kind: Any, metadata: {name: p}, a~1b: "x:v2"}`, ""},
		{"§3.3/predicate without slash", pod, `{imageOverrider: [{predicate: {path: spec}, component: Tag, operator: replace, value: v2}]}`, "", "must begin with /"},
		{"§3.3/predicate with a bad edit", pod, `{imageOverrider: [{predicate: {path: /spec/containers/0/image}, component: Repository, operator: remove}]}`, "", "without a repository"},

		{"§3.4/overwrite is no operator", pod, `{commandOverrider: [{containerName: a, operator: replace, value: [x]}]}`, "", `unknown operator "replace", expected add or remove`},
		{"§3.4/command that is no list", `{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: a, command: x}]}}`,
			`{commandOverrider: [{containerName: a, operator: add, value: [x]}]}`, "", `command of container "a" is not a list`},

		{"§3.5/key with a tilde", data, `{labelsOverrider: [{operator: add, value: {a~b: "2"}}]}`, "", `"a~b" is not a valid key`},
		{"§3.5/labels that are no map", `{apiVersion: v1, kind: A, metadata: {name: a, labels: [x]}}`, `{labelsOverrider: [{operator: remove, value: {x: ""}}]}`, "", "metadata.labels is not a map"},
		{"§3.5/unknown operator", data, `{labelsOverrider: [{operator: set, value: {x: ""}}]}`, "", `unknown operator "set"`},
		{"§3.5/no metadata", `{apiVersion: v1, kind: A}`, `{labelsOverrider: [{operator: add, value: {x: ""}}]}`, "", "has no metadata"},

		{"§3.5/the whole object", data, `{plaintext: [{path: "", operator: replace, value: {apiVersion: v1, kind: B, metadata: {name: b}}}]}`, `{apiVersion: v1, kind: B, metadata: {name: b}}`, ""},
		{"§3.5/the whole object by a string", data, `{plaintext: [{path: "", operator: replace, value: x}]}`, "", "the result is not an object"},
		{"§3.5/the whole object removed", data, `{plaintext: [{path: "", operator: remove}]}`, "", "cannot be removed"},
		{"§3.5/name removed", data, `{plaintext: [{path: /metadata/name, operator: remove}]}`, "", "no apiVersion, kind or name"},
		{"§3.5/one of three fails", data, `{plaintext: [{path: /data/a, operator: add}, {path: /data/a, operator: remove}, {path: /data/a, operator: replace, value: 1}]}`, "", `there is no "/data/a"`},
		{"§3.5 B9/field without operations", data, `{fieldOverrider: [{fieldPath: /data/a}]}`, "", "exactly one of json and yaml"},
		{"§3.5 B9/field with both", data, `{fieldOverrider: [{fieldPath: /data/a, json: [{subPath: /a, operator: remove}], yaml: [{subPath: /a, operator: remove}]}]}`, "", "exactly one of json and yaml"},
		{"§3.5/field without a value", data, `{fieldOverrider: [{fieldPath: /data/a, json: [{subPath: /a, operator: add}]}]}`, "", `fieldPath "/data/a": add "/a": a value is required`},
		{"§3.5/field with an unknown operator", data, `{fieldOverrider: [{fieldPath: /data/a, yaml: [{subPath: /a, operator: move, value: 1}]}]}`, "", `unknown operator "move"`},
		{"§3.5/field without slash", data, `{fieldOverrider: [{fieldPath: data/a, yaml: [{subPath: /a, operator: add, value: 1}]}]}`, "", "must begin with /"},
		{"§3.5/field that is the whole object", data, `{fieldOverrider: [{fieldPath: "", yaml: [{subPath: /a, operator: add, value: 1}]}]}`, "", "is not a string"},
		{"§3.5/field in a list", `{apiVersion: v1, kind: A, metadata: {name: a}, list: ["{a: 1}"]}`, `{fieldOverrider: [{fieldPath: /list/-1, yaml: [{subPath: /a, operator: add, value: 2}]}]}`,
			`{apiVersion: v1, kind: A, metadata: {name: a}, list: ["{a: 2}"]}`, ""},
		{"§3.5/field of a Secret of another group", `{apiVersion: x/v1, kind: Secret, metadata: {name: a}, data: {a: "{a: 1}"}}`, `{fieldOverrider: [{fieldPath: /data/a, yaml: [{subPath: /a, operator: add, value: 2}]}]}`,
			`{apiVersion: x/v1, kind: Secret, metadata: {name: a}, data: {a: "{a: 2}"}}`, ""},
		{"§3.5/unknown operation", data, `{plaintext: [{path: /data/a, operator: move}]}`, "", `unknown operator "move"`},
	} {
		t.Run("Karmada "+c.name, func(t *testing.T) {
			o := &policy.Override{Meta: policy.Meta{Name: "o"}, Spec: policy.OverrideSpec{OverrideRules: make([]policy.OverrideRule, 1)}}
			require.NoError(t, yaml.UnmarshalStrict([]byte(c.overriders), &o.Spec.OverrideRules[0].Overriders))
			u := object(t, []byte(c.object))
			edits, err := Apply(u, fleet.Cluster{Name: "eu"}, []*policy.Override{o})
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				require.Empty(t, edits)
				return
			}
			require.NoError(t, err)
			require.Equal(t, object(t, []byte(c.want)), u)
			if c.want == c.object {
				require.Empty(t, edits)
			} else {
				require.NotEmpty(t, edits)
			}
		})
	}
}
