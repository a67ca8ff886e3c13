package policy_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/accord-dev/accord/api/policy"
)

// TestOverrideFields is Karmada §1.5 and §1.6, row by row.
func TestOverrideFields(t *testing.T) {
	overrides(slices.Concat(
		ruleFields(),
		overriderFields("overrideRules: [{overriders: {", "}}]"),
		targetFields("overrideRules: [{overriders: {}, targetCluster: {", "}}]"),
	)).run(t)
}

// TestSingleRuleFields: the deprecated form is held to the same rules (DESIGN section 8, B9), and read as one rule.
func TestSingleRuleFields(t *testing.T) {
	cases := slices.Concat(overriderFields("overriders: {", "}"), targetFields("targetCluster: {", "}"))
	for _, c := range cases {
		for i := range c.refused {
			c.refused[i].says = strings.ReplaceAll(c.refused[i].says, "spec.overrideRules[0].", "spec.")
		}
	}
	overrides(slices.Concat(ruleFields(), cases)).run(t)
}

func overrides(cases []fieldCase) fieldTable {
	return fieldTable{
		head: "apiVersion: policy.karmada.io/v1alpha1\nkind: OverridePolicy\nmetadata: {name: web, namespace: shop}\n",
		base: "resourceSelectors: []",
		spec: reflect.TypeFor[policy.OverrideSpec](),
		decode: func(t *testing.T, text string) (any, error) {
			o, err := policy.DecodeOverride(object(t, text), []byte(text), origin)
			return o.Spec, err
		},
		skip:  []string{"spec.targetCluster.", "spec.overriders."}, // read as spec.overrideRules[]
		cases: cases,
	}
}

// ruleFields are Karmada §1.5. The deprecated fields read as absent, because they become a rule.
func ruleFields() []fieldCase {
	const rule = "overrideRules: [{overriders: {}}]"
	cases := onLine("6", []fieldCase{
		{field: "spec.overrideRules", write: rule, reads: `[{"overriders":{}}]`, refused: []refusal{
			{"overrideRule: []", `unknown field "overrideRule" in spec; did you mean "overrideRules"?`},
			{"overrides: []", `unknown field "overrides" in spec; did you mean "overrideRules"?`},
		}},
		{
			field: "spec.overrideRules[].targetCluster", write: "overrideRules: [{targetCluster: {}, overriders: {}}]", reads: "{}", without: rule,
			refused: []refusal{
				{"overrideRules: [{targetClusters: {}, overriders: {}}]", `unknown field "targetClusters" in spec.overrideRules[0]; did you mean "targetCluster"?`},
				{"overrideRules: [{clusterNames: [a], overriders: {}}]", `unknown field "clusterNames" in spec.overrideRules[0]; did you mean "targetCluster.clusterNames"?`},
			},
		},
		{field: "spec.overrideRules[].overriders", write: rule, reads: "{}", refused: []refusal{
			{"overrideRules: [{targetCluster: {}}]", "spec.overrideRules[0].overriders is required"},
			{"overrideRules: [{plaintext: [], overriders: {}}]", `unknown field "plaintext" in spec.overrideRules[0]; did you mean "overriders.plaintext"?`},
		}},
		{field: "spec.targetCluster", refused: []refusal{
			{"targetCluster: {}\n" + rule, "spec.targetCluster and overrideRules are mutually exclusive; move it into the rules"},
			{"targetCluster: [a]", "spec.targetCluster is a list, expected an object"},
		}},
		{field: "spec.overriders", refused: []refusal{
			{"overriders: {fieldOverrider: [{fieldPath: /a, json: [{subPath: /b, operator: remove}]}]}\n" + rule,
				"spec.overriders and overrideRules are mutually exclusive; make it one of the rules"},
		}},
		{
			field: "spec.resourceSelectors", write: "resourceSelectors: [{apiVersion: v1, kind: Pod}]",
			reads: `[{"apiVersion":"v1","kind":"Pod","namespace":"shop"}]`,
		},
	})
	for _, c := range selectorFields() {
		if c.field == "spec.resourceSelectors" || strings.HasSuffix(c.field, ".name") {
			continue
		}
		c.defaults, c.without = "", ""
		cases = append(cases, onLine("5", []fieldCase{c})...)
	}
	return append(cases, fieldCase{field: "spec.resourceSelectors[].name", write: "resourceSelectors: [{apiVersion: v1, kind: Pod, name: a}]", reads: `"a"`})
}

func targetFields(before, after string) []fieldCase {
	around := func(affinity string) string { return before + affinity + after }
	return onLine("6", affinityCases("spec.overrideRules[].targetCluster", around, true))
}

// overriderFields are Karmada §1.6. In what the mistakes say, @ is the path of the overriders.
func overriderFields(before, after string) []fieldCase {
	const in, at = "spec.overrideRules[].overriders", "spec.overrideRules[0].overriders"
	write := func(overriders string) string { return before + overriders + after }
	var cases []fieldCase
	add := func(field, accepted, reads string, refused ...refusal) {
		for i, r := range refused {
			refused[i] = refusal{write(r.write), "p.yaml:6: " + strings.ReplaceAll(r.says, "@", at)}
		}
		cases = append(cases, fieldCase{field: in + "." + field, write: write(accepted), reads: reads, refused: refused})
	}
	plaintext(add)
	images(add)
	words(add, "commandOverrider")
	words(add, "argsOverrider")
	labels(add)
	annotations(add)
	inStrings(add)
	return cases
}

type addCase func(field, accepted, reads string, refused ...refusal)

func plaintext(add addCase) {
	const replicas = "plaintext: [{path: /spec/replicas, operator: replace, value: 3}]"
	add("plaintext", replicas, `[{"path":"/spec/replicas","operator":"replace","value":3}]`,
		refusal{"plainText: []", `unknown field "plainText" in @; did you mean "plaintext"?`},
		refusal{"replicasOverrider: []", `unknown field "replicasOverrider" in @; there is no such overrider; write plaintext with path "/spec/replicas"`},
		refusal{"resourcesOverrider: []", `unknown field "resourcesOverrider" in @; there is no such overrider; write plaintext with path "/spec/template/spec/containers/0/resources"`})
	add("plaintext[].path", `plaintext: [{path: "", operator: replace, value: {}}]`, `""`,
		refusal{"plaintext: [{operator: add}]", "@.plaintext[0].path is required"},
		refusal{"plaintext: [{path: spec/replicas, operator: add}]", `@.plaintext[0].path is "spec/replicas", expected a JSON pointer ("/spec/replicas")`},
		refusal{"plaintext: [{path: /a~b, operator: add}]", `@.plaintext[0].path is "/a~b": in a JSON pointer ~ is written ~0, and ~1 means /`})
	add("plaintext[].operator", "plaintext: [{path: /a, operator: remove}]", `"remove"`,
		refusal{"plaintext: [{path: /a}]", "@.plaintext[0].operator is required"},
		refusal{"plaintext: [{path: /a, operator: move}]", `@.plaintext[0].operator is "move", expected add, remove or replace; did you mean "remove"?`},
		refusal{"plaintext: [{path: /a, op: add, operator: add}]", `unknown field "op" in @.plaintext[0]; did you mean "operator"?`})
	add("plaintext[].value", "plaintext: [{path: /a, operator: add, value: {b: [1, null]}}]", `{"b":[1,null]}`,
		refusal{"plaintext: [{path: /a, operator: add, values: 1}]", `unknown field "values" in @.plaintext[0]; did you mean "value"?`})
}

func images(add addCase) {
	add("imageOverrider", "imageOverrider: [{component: Registry, operator: remove}]", `[{"component":"Registry","operator":"remove"}]`,
		refusal{"imageOverride: []", `unknown field "imageOverride" in @; did you mean "imageOverrider"?`})
	add("imageOverrider[].predicate", "imageOverrider: [{predicate: {path: /spec/image}, component: Tag, operator: remove}]", `{"path":"/spec/image"}`)
	add("imageOverrider[].predicate.path", "imageOverrider: [{predicate: {path: /spec/a~1b}, component: Tag, operator: remove}]", `"/spec/a~1b"`,
		refusal{"imageOverrider: [{predicate: {}, component: Tag, operator: add}]", "@.imageOverrider[0].predicate.path is required"},
		refusal{"imageOverrider: [{predicate: {path: x}, component: Tag, operator: add}]", `@.imageOverrider[0].predicate.path is "x", expected a JSON pointer ("/spec/replicas")`})
	add("imageOverrider[].component", "imageOverrider: [{component: Repository, operator: add}]", `"Repository"`,
		refusal{"imageOverrider: [{operator: add}]", "@.imageOverrider[0].component is required"},
		refusal{"imageOverrider: [{component: Digest, operator: add}]", `@.imageOverrider[0].component is "Digest", expected Registry, Repository or Tag`},
		refusal{"imageOverrider: [{component: registry, operator: add}]", `@.imageOverrider[0].component is "registry", expected Registry, Repository or Tag; did you mean "Registry"?`})
	add("imageOverrider[].operator", "imageOverrider: [{component: Tag, operator: add}]", `"add"`,
		refusal{"imageOverrider: [{component: Tag}]", "@.imageOverrider[0].operator is required"},
		refusal{"imageOverrider: [{component: Tag, operator: set}]", `@.imageOverrider[0].operator is "set", expected add, remove or replace`})
	add("imageOverrider[].value", "imageOverrider: [{component: Tag, operator: add, value: v2}]", `"v2"`,
		refusal{"imageOverrider: [{component: Tag, operator: add, value: 1.20}]", `@.imageOverrider[0].value is 1.2, expected a string; write it in quotes`})
}

func words(add addCase, name string) {
	one := func(rest string) string { return name + ": [{" + rest + "}]" }
	at := "@." + name + "[0]"
	add(name, one("containerName: web, operator: add, value: [-v]"), `[{"containerName":"web","operator":"add","value":["-v"]}]`)
	add(name+"[].containerName", one("containerName: web, operator: add"), `"web"`,
		refusal{one("operator: add"), at + ".containerName is required"},
		refusal{one("container: web, containerName: web, operator: add"), `unknown field "container" in ` + at + `; did you mean "containerName"?`})
	add(name+"[].operator", one("containerName: web, operator: remove"), `"remove"`,
		refusal{one("containerName: web"), at + ".operator is required"},
		refusal{one("containerName: web, operator: replace"), at + `.operator is "replace", expected add or remove`})
	add(name+"[].value", one("containerName: web, operator: add, value: [a, b]"), `["a","b"]`,
		refusal{one("containerName: web, operator: add, value: -v"), at + `.value is the string "-v", expected a list; did you mean [-v]?`},
		refusal{one("containerName: web, operator: add, value: [8080]"), at + `.value[0] is 8080, expected a string; write it in quotes`})
}

func metadata(add addCase, name, value, reads string, refused ...refusal) {
	one := func(rest string) string { return name + ": [{" + rest + "}]" }
	at := "@." + name + "[0]"
	add(name, one("operator: add, value: {a: b}"), `[{"operator":"add","value":{"a":"b"}}]`)
	add(name+"[].operator", one("operator: replace, value: {}"), `"replace"`,
		refusal{one("value: {}"), at + ".operator is required"},
		refusal{one("operator: overwrite, value: {}"), at + `.operator is "overwrite", expected add, remove or replace`})
	add(name+"[].value", one("operator: add, value: "+value), reads, append(refused,
		refusal{one("operator: add"), at + ".value is required"},
		refusal{one("operator: add, value: {'a b': x}"), at + `.value has the key "a b": ` + notAKey},
		refusal{one("operator: add, value: {a: true}"), at + `.value.a is true, expected a string; write it in quotes`})...)
}

func labels(add addCase) {
	metadata(add, "labelsOverrider", "{example.com/a: ''}", `{"example.com/a":""}`,
		refusal{"labelsOverrider: [{operator: remove, value: {a: 'x y'}}]", `@.labelsOverrider[0].value.a is "x y": ` + notALabel},
		refusal{"labelsOverrider: [{operator: add, value: {Example.com/a: x}}]", `@.labelsOverrider[0].value has the key "Example.com/a": ` + notAPrefix})
}

func annotations(add addCase) {
	const limit = 256 << 10
	metadata(add, "annotationsOverrider", "{Example.com/a: 'x y'}", `{"Example.com/a":"x y"}`, refusal{
		"annotationsOverrider: [{operator: add, value: {a: " + strings.Repeat("x", limit) + "}}]",
		fmt.Sprintf("@.annotationsOverrider[0].value has %d bytes, expected at most %d", limit+1, limit),
	})
}

func inStrings(add addCase) {
	const path = "fieldOverrider: [{fieldPath: /data/a, "
	add("fieldOverrider", path+"json: [{subPath: /b, operator: remove}]}]", `[{"fieldPath":"/data/a","json":[{"subPath":"/b","operator":"remove"}]}]`,
		refusal{path + "}]", "@.fieldOverrider[0] needs either json or yaml, with at least one operation"},
		refusal{path + "json: []}]", "@.fieldOverrider[0] needs either json or yaml, with at least one operation"},
		refusal{path + "json: [{subPath: /x, operator: remove}], yaml: [{subPath: /x, operator: remove}]}]", "@.fieldOverrider[0] needs either json or yaml, with at least one operation"})
	add("fieldOverrider[].fieldPath", "fieldOverrider: [{fieldPath: /data/a~1b, json: [{subPath: /b, operator: remove}]}]", `"/data/a~1b"`,
		refusal{"fieldOverrider: [{json: [{subPath: /b, operator: remove}]}]", "@.fieldOverrider[0].fieldPath is required"},
		refusal{"fieldOverrider: [{fieldPath: data, json: [{subPath: /b, operator: remove}]}]", `@.fieldOverrider[0].fieldPath is "data", expected a JSON pointer ("/spec/replicas")`})
	for _, form := range []string{"json", "yaml"} {
		one := func(rest string) string { return path + form + ": [{" + rest + "}]}]" }
		field, at := "fieldOverrider[]."+form, "@.fieldOverrider[0]."+form+"[0]"
		add(field, one("subPath: /b, operator: add, value: [1]"), `[{"subPath":"/b","operator":"add","value":[1]}]`)
		add(field+"[].subPath", one(`subPath: "", operator: replace, value: {}`), `""`,
			refusal{one("operator: remove"), at + ".subPath is required"},
			refusal{one("subPath: b, operator: remove"), at + `.subPath is "b", expected a JSON pointer ("/spec/replicas")`})
		add(field+"[].operator", one("subPath: /b, operator: remove"), `"remove"`,
			refusal{one("subPath: /b"), at + ".operator is required"},
			refusal{one("subPath: /b, operator: test, value: 1"), at + `.operator is "test", expected add, remove or replace`})
		add(field+"[].value", one("subPath: /b, operator: add, value: {z: 1}"), `{"z":1}`,
			refusal{one("subPath: /b, operator: add"), at + ".value is required with operator add"},
			refusal{one("subPath: /b, operator: replace"), at + ".value is required with operator replace"},
			refusal{one("subPath: /b, operator: remove, value: 1"), at + ".value is not allowed with operator remove"})
	}
}

// notALabel and notAPrefix are messages of apimachinery.
const (
	notALabel = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end " +
		"with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
	notAPrefix = "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end " +
		"with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
