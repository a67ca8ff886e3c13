package override

import (
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/clusters/fleet"
)

// TestOverriders has the single rules of Karmada §3.3 to §3.5: what becomes of an object, or the error.
func TestOverriders(t *testing.T) {
	const (
		pod  = `{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: a, image: "nginx:1", args: [--a, --b, --a]}]}}`
		data = `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: "1"}, list: [x, y]}`
	)
	for _, c := range []struct{ name, object, overriders, want, err string }{
		{"§3.3/CronJob is not known", `{apiVersion: batch/v1, kind: CronJob, metadata: {name: c}, spec: {jobTemplate: {spec: {template: {spec: {containers: [{image: nginx}]}}}}}}`,
			`{imageOverrider: [{component: Tag, operator: replace, value: v2}]}`,
			`{apiVersion: batch/v1, kind: CronJob, metadata: {name: c}, spec: {jobTemplate: {spec: {template: {spec: {containers: [{image: nginx}]}}}}}}`, ""},
		{"§3.3/kind of another group counts", `{apiVersion: example.com/v1, kind: Deployment, metadata: {name: c}, spec: {template: {spec: {containers: [{image: nginx}]}}}}`,
			`{imageOverrider: [{component: Tag, operator: replace, value: v2}]}`,
			`{apiVersion: example.com/v1, kind: Deployment, metadata: {name: c}, spec: {template: {spec: {containers: [{image: "nginx:v2"}]}}}}`, ""},
		{"§3.3/no containers", `{apiVersion: v1, kind: Pod, metadata: {name: p}}`, `{imageOverrider: [{component: Tag, operator: replace, value: v2}]}`, `{apiVersion: v1, kind: Pod, metadata: {name: p}}`, ""},
		{"§3.3/containers that are none", `{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: nginx}}`, `{imageOverrider: [{component: Tag, operator: replace, value: v2}]}`, "", "spec.containers is not a list"},
		{"§3.3/container that is none", `{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [nginx]}}`, `{argsOverrider: [{containerName: a, operator: add, value: [v2]}]}`, "", "spec.containers[0] is not a container"},
		{"§3.3/spec that is none", `{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: 1}`, `{imageOverrider: [{component: Tag, operator: replace, value: v2}]}`, "", "reading the containers"},
		{"§3.3/container without an image", `{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: a}]}}`, `{imageOverrider: [{component: Tag, operator: replace, value: v2}]}`, "", `container "a" has no image`},
		{"§3.3/predicate", `{apiVersion: x/v1, kind: Any, metadata: {name: p}, spec: {images: [a, b]}}`, `{imageOverrider: [{predicate: {path: /spec/images/1}, component: Tag, operator: replace, value: v2}]}`,
			`{apiVersion: x/v1, kind: Any, metadata: {name: p}, spec: {images: [a, "b:v2"]}}`, ""},
		{"§3.3/predicate is literal", `{apiVersion: x/v1, kind: Any, metadata: {name: p}, a~1b: x}`, `{imageOverrider: [{predicate: {path: /a~1b}, component: Tag, operator: replace, value: v2}]}`,
			`{apiVersion: x/v1, kind: Any, metadata: {name: p}, a~1b: "x:v2"}`, ""},
		{"§3.3/predicate without slash", pod, `{imageOverrider: [{predicate: {path: spec}, component: Tag, operator: replace, value: v2}]}`, "", "does not begin with /"},
		{"§3.3/predicate of nothing", pod, `{imageOverrider: [{predicate: {path: /spec/image}, component: Tag, operator: replace, value: v2}]}`, "", `there is no "image"`},
		{"§3.3/predicate below a string", pod, `{imageOverrider: [{predicate: {path: /kind/x}, component: Tag, operator: replace, value: v2}]}`, "", `nothing below`},
		{"§3.3/predicate that is no string", pod, `{imageOverrider: [{predicate: {path: /spec}, component: Tag, operator: replace, value: v2}]}`, "", "is not a string"},
		{"§3.3/predicate with a bad edit", pod, `{imageOverrider: [{predicate: {path: /spec/containers/0/image}, component: Repository, operator: remove}]}`, "", "without a repository"},
		{"§3.3 B6/predicate index beyond the list", pod, `{imageOverrider: [{predicate: {path: /spec/containers/1/image}, component: Tag, operator: replace, value: v2}]}`, "", `"1" is not an index of the list, which has 1 items`},

		{"§3.4/remove all occurrences", pod, `{argsOverrider: [{containerName: a, operator: remove, value: [--a]}]}`,
			`{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: a, image: "nginx:1", args: [--b]}]}}`, ""},
		{"§3.4/remove everything", pod, `{argsOverrider: [{containerName: a, operator: remove, value: [--a, --b]}]}`,
			`{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: a, image: "nginx:1", args: []}]}}`, ""},
		{"§3.4/add keeps duplicates", pod, `{argsOverrider: [{containerName: a, operator: add, value: [--a, --a]}]}`,
			`{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: a, image: "nginx:1", args: [--a, --b, --a, --a, --a]}]}}`, ""},
		{"§3.4/add to a missing list", pod, `{commandOverrider: [{containerName: a, operator: add, value: [x, z]}]}`,
			`{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: a, image: "nginx:1", args: [--a, --b, --a], command: [x, z]}]}}`, ""},
		{"§3.4/no such container", pod, `{commandOverrider: [{containerName: b, operator: add, value: [x]}]}`, pod, ""},
		{"§3.4 B7/remove from a missing list", pod, `{commandOverrider: [{containerName: a, operator: remove, value: [x]}]}`, pod, ""},
		{"§3.4/overwrite is no operator", pod, `{commandOverrider: [{containerName: a, operator: replace, value: [x]}]}`, "", `unknown operator "replace", expected add or remove`},
		{"§3.4/command that is no list", `{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: a, command: x}]}}`,
			`{commandOverrider: [{containerName: a, operator: add, value: [x]}]}`, "", `command of container "a" is not a list`},

		{"§3.5/labels added", `{apiVersion: v1, kind: A, metadata: {name: a, labels: {x: "1"}}}`, `{labelsOverrider: [{operator: add, value: {x: "2", example.com/y: "3"}}]}`,
			`{apiVersion: v1, kind: A, metadata: {name: a, labels: {x: "2", example.com/y: "3"}}}`, ""},
		{"§3.5/labels added to none", data, `{labelsOverrider: [{operator: add, value: {x: "2"}}]}`, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, labels: {x: "2"}}, data: {a: "1"}, list: [x, y]}`, ""},
		{"§3.5/labels replaced where they exist", `{apiVersion: v1, kind: A, metadata: {name: a, labels: {x: "1"}}}`, `{labelsOverrider: [{operator: replace, value: {x: "2", y: "3"}}]}`,
			`{apiVersion: v1, kind: A, metadata: {name: a, labels: {x: "2"}}}`, ""},
		{"§3.5/labels replaced in none", data, `{labelsOverrider: [{operator: replace, value: {x: "2"}}]}`, data, ""},
		{"§3.5/labels removed", `{apiVersion: v1, kind: A, metadata: {name: a, labels: {x: "1", y: "2"}}}`, `{labelsOverrider: [{operator: remove, value: {x: "", z: ""}}]}`,
			`{apiVersion: v1, kind: A, metadata: {name: a, labels: {y: "2"}}}`, ""},
		{"§3.5/annotations removed from none", data, `{annotationsOverrider: [{operator: remove, value: {x: "2"}}]}`, data, ""},
		{"§3.5/key with a tilde", data, `{labelsOverrider: [{operator: add, value: {a~b: "2"}}]}`, "", `"a~b" is not a valid key`},
		{"§3.5/labels that are no map", `{apiVersion: v1, kind: A, metadata: {name: a, labels: [x]}}`, `{labelsOverrider: [{operator: remove, value: {x: ""}}]}`, "", "metadata.labels is not a map"},
		{"§3.5/unknown operator", data, `{labelsOverrider: [{operator: set, value: {x: ""}}]}`, "", `unknown operator "set"`},
		{"§3.5/no metadata", `{apiVersion: v1, kind: A}`, `{labelsOverrider: [{operator: add, value: {x: ""}}]}`, "", "has no metadata"},

		{"§3.5/add with a missing parent", data, `{plaintext: [{path: /spec/x, operator: add, value: 1}]}`, "", `add "/spec/x": its parent "/spec" is not there; let an earlier entry add {} at "/spec"`},
		{"§3.5/add of the parent first", data, `{plaintext: [{path: /spec, operator: add, value: {}}, {path: /spec/x, operator: add, value: 1}]}`,
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: "1"}, list: [x, y], spec: {x: 1}}`, ""},
		{"§3.5/add over a key", data, `{plaintext: [{path: /data/a, operator: add, value: "2"}]}`, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: "2"}, list: [x, y]}`, ""},
		{"§3.5/add without a value", data, `{plaintext: [{path: /data/a, operator: add}]}`, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: null}, list: [x, y]}`, ""},
		{"§3.5/add of null", data, `{plaintext: [{path: /data/a, operator: add, value: null}]}`, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: null}, list: [x, y]}`, ""},
		{"§3.5/replace of nothing", data, `{plaintext: [{path: /data/b, operator: replace, value: "2"}]}`, "", `there is no "/data/b"`},
		{"§3.5/remove of nothing", data, `{plaintext: [{path: /data/b, operator: remove}]}`, "", `there is no "/data/b"`},
		{"§3.5/remove", data, `{plaintext: [{path: /data/a, operator: remove}]}`, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {}, list: [x, y]}`, ""},
		{"§3.5/append", data, `{plaintext: [{path: /list/-, operator: add, value: z}]}`, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: "1"}, list: [x, y, z]}`, ""},
		{"§3.5/insert", data, `{plaintext: [{path: /list/0, operator: add, value: z}]}`, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: "1"}, list: [z, x, y]}`, ""},
		{"§3.5/insert at the length", data, `{plaintext: [{path: /list/2, operator: add, value: z}]}`, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: "1"}, list: [x, y, z]}`, ""},
		{"§3.5/insert beyond the length", data, `{plaintext: [{path: /list/3, operator: add, value: z}]}`, "", `"3" is not an index of the list`},
		{"§3.5/index from the end", data, `{plaintext: [{path: /list/-1, operator: replace, value: z}]}`, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: "1"}, list: [x, z]}`, ""},
		{"§3.5/index that is none", data, `{plaintext: [{path: /list/x, operator: replace, value: z}]}`, "", `"x" is not an index of the list`},
		{"§3.5/remove from a list", data, `{plaintext: [{path: /list/0, operator: remove}]}`, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: "1"}, list: [y]}`, ""},
		{"§3.5/below an index", pod, `{plaintext: [{path: /spec/containers/0/image, operator: replace, value: x}]}`, `{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: a, image: x, args: [--a, --b, --a]}]}}`, ""},
		{"§3.5/below a missing key of an index", pod, `{plaintext: [{path: /spec/containers/0/env/0, operator: add, value: x}]}`, "", `its parent "/spec/containers/0/env" is not there; let an earlier entry add [] at "/spec/containers/0/env"`},
		{"§3.5/below a string", data, `{plaintext: [{path: /data/a/b, operator: add, value: x}]}`, "", `nothing below "/data/a"`},
		{"§3.5/one of several fails", data, `{plaintext: [{path: /data/b, operator: add, value: x}, {path: /data/c, operator: remove}]}`, "", `remove "/data/c"`},
		{"§3.5/path without slash", data, `{plaintext: [{path: data, operator: add, value: x}]}`, "", "does not begin with /"},
		{"§3.5/escapes", data, `{plaintext: [{path: /data/a~1b~0c~01, operator: add, value: x}]}`, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: "1", a/b~c~1: x}, list: [x, y]}`, ""},
		{"§3.5/the whole object", data, `{plaintext: [{path: "", operator: replace, value: {apiVersion: v1, kind: B, metadata: {name: b}}}]}`, `{apiVersion: v1, kind: B, metadata: {name: b}}`, ""},
		{"§3.5/the whole object by a string", data, `{plaintext: [{path: "", operator: replace, value: x}]}`, "", "the result is not an object"},
		{"§3.5/the whole object removed", data, `{plaintext: [{path: "", operator: remove}]}`, "", "cannot be removed"},
		{"§3.5/name removed", data, `{plaintext: [{path: /metadata/name, operator: remove}]}`, "", "no apiVersion, kind or name"},
		{"§3.5/unknown operation", data, `{plaintext: [{path: /data/a, operator: move}]}`, "", `unknown operator "move"`},
	} {
		t.Run("Karmada "+c.name, func(t *testing.T) {
			o := policy.Override{Meta: policy.Meta{Name: "o"}, Spec: policy.OverrideSpec{OverrideRules: make([]policy.OverrideRule, 1)}}
			require.NoError(t, yaml.UnmarshalStrict([]byte(c.overriders), &o.Spec.OverrideRules[0].Overriders))
			u := object(t, []byte(c.object))
			edits, err := Apply(u, fleet.Cluster{Name: "eu"}, []policy.Override{o})
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
