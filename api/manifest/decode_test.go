package manifest_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/manifest"
)

type inline struct {
	Weight int64 `json:"weight,omitempty"`
}

type spec struct {
	inline   `json:",inline"`
	Count    *int32              `json:"count,omitempty"`
	Grade    uint32              `json:"grade,omitempty"`
	Mode     string              `json:"mode,omitempty"`
	Ready    bool                `json:"ready,omitempty"`
	Rules    []spec              `json:"rules,omitempty"`
	Labels   map[string]string   `json:"labels,omitempty"`
	Port     *intstr.IntOrString `json:"port,omitempty"`
	Ratio    float64             `json:"ratio,omitempty"`
	Hidden   string              `json:"-"`
	Unlisted string
}

type object struct {
	metav1.TypeMeta `json:",inline"`
	Metadata        metav1.ObjectMeta `json:"metadata"`
	Spec            spec              `json:"spec"`
}

func decode(t testing.TB, text string) (object, *manifest.Doc) {
	t.Helper()
	var o object
	doc := manifest.Decode(read(t, text), []byte(text), manifest.Origin{Path: "a.yaml", Line: 10}, &o)
	return o, doc
}

func read(t testing.TB, text string) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{}
	encoded, err := yaml.YAMLToJSON([]byte(text))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(encoded, &u.Object))
	return u
}

func TestDecodeTellsEveryMistakeWithItsLine(t *testing.T) {
	_, doc := decode(t, `apiVersion: example.com/v1
kind: Thing
metadata:
  name: web
  creationTimestamp: null
  managedFields: [{manager: kubectl}]
  lables: {a: b}
spec:
  count: many
  grade: -1
  weight: 1.5
  mode: 3
  ready: "yes"
  ratio: 0.5
  port: http
  hidden: x
  rules:
  - mode: a
    count: 3000000000
  - mood: b
  - plain
  labels:
    good: x
    bad: 3
status: {anything: goes}
`)
	require.EqualError(t, doc.Err(), `a.yaml:16: unknown field "lables" in metadata; did you mean "labels"?
a.yaml:18: spec.count is the string "many", expected a whole number
a.yaml:19: spec.grade is -1, which is out of range
a.yaml:20: spec.weight is 1.5, expected a whole number
a.yaml:21: spec.mode is 3, expected a string; write it in quotes
a.yaml:22: spec.ready is the string "yes", expected true or false
a.yaml:25: unknown field "hidden" in spec; expected count, grade, labels, mode, port, ratio, ready, rules or weight
a.yaml:28: spec.rules[0].count is 3000000000, which is out of range
a.yaml:29: unknown field "mood" in spec.rules[1]; did you mean "mode"?
a.yaml:30: spec.rules[2] is the string "plain", expected an object
a.yaml:33: spec.labels.bad is 3, expected a string; write it in quotes`)
}

func TestDecodeShapes(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"all is well", "spec: {count: 3, weight: 5, mode: a, rules: [{count: null}]}", ""},
		{"a list for an object", "spec: []", "a.yaml:10: spec is a list, expected an object"},
		{"an object for a list", "spec: {rules: {mode: a}}", "a.yaml:10: spec.rules is an object, expected a list"},
		{"a name for a list", "spec: {rules: a}", `a.yaml:10: spec.rules is the string "a", expected a list; did you mean [a]?`},
		{"names for a list", "spec: {rules: 'a,b, c'}", `a.yaml:10: spec.rules is the string "a,b, c", expected a list; 3 names in one string? Write [a, b, c]`},
		{"nothing for a list", "spec: {rules: ''}", `a.yaml:10: spec.rules is the string "", expected a list`},
		{"a list for a name", "spec: {mode: [a]}", "a.yaml:10: spec.mode is a list, expected a string"},
		{"a list for a map", "spec: {labels: [a]}", "a.yaml:10: spec.labels is a list, expected an object"},
		{"unknown at the top", "sepc: {}", `a.yaml:10: unknown field "sepc"; did you mean "spec"?`},
		{"a type that reads itself", "spec: {port: [1]}", "a.yaml:10: spec.port cannot be read: json: cannot unmarshal array"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, doc := decode(t, c.text)
			if c.want == "" {
				require.NoError(t, doc.Err())
				return
			}
			require.ErrorContains(t, doc.Err(), c.want)
		})
	}
}

func TestDecodeReadsWhatItCan(t *testing.T) {
	u := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"mode": "a", "unknown": "b", "weight": int64(7)}}}
	var o object
	doc := manifest.Decode(u, nil, manifest.Origin{Path: "k/kustomization.yaml"}, &o)
	require.EqualError(t, doc.Err(), `k/kustomization.yaml: unknown field "unknown" in spec; expected count, grade, labels, mode, port, ratio, ready, rules or weight`)
	require.Equal(t, "a", o.Spec.Mode)
	require.Equal(t, int64(7), o.Spec.Weight)
}

// TestUnknownFields has a row for every way to help with a name that is none.
func TestUnknownFields(t *testing.T) {
	hints := manifest.Hints{"amount": "count", "image": "write rules with an image", "level": "grade"}
	for _, c := range []struct{ name, text, want string }{
		{"a typo", "spec: {modes: a}", `unknown field "modes" in spec; did you mean "mode"?`},
		{"believed in", "spec: {amount: 1}", `unknown field "amount" in spec; did you mean "count"?`},
		{"believed in, elsewhere", "level: 1", `unknown field "level"; did you mean "spec.grade"?`},
		{"believed in, and there is none", "spec: {image: a}", `unknown field "image" in spec; write rules with an image`},
		{"one level too high", "mode: a", `unknown field "mode"; did you mean "spec.mode"?`},
		{"one level too low", "spec: {kind: a}", `unknown field "kind" in spec; it belongs at the top of the manifest`},
		{"in another branch", "metadata: {weight: 1}", `unknown field "weight" in metadata; did you mean "spec.weight"?`},
		{"in a list", "step: a", `unknown field "step"; did you mean "plan.steps[].step"?`},
		{"names of metadata are not searched", "spec: {finalizers: []}", `unknown field "finalizers" in spec; expected count, grade, labels, mode, port, ratio, ready, rules or weight`},
		{"status is not searched", "spec: {phase: a}", `unknown field "phase" in spec; expected count, grade, labels, mode, port, ratio, ready, rules or weight`},
		{"very long", "spec: {" + strings.Repeat("x", 100) + ": 1}", `unknown field "` + strings.Repeat("x", 80) + `..." in spec; expected count, grade, labels, mode, port, ratio, ready, rules or weight`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var o struct {
				object `json:",inline"`
				Plan   struct {
					Steps []struct {
						Step string `json:"step"`
					} `json:"steps"`
				} `json:"plan"`
				Status struct {
					Phase string `json:"phase"`
				} `json:"status"`
			}
			doc := hints.Decode(read(t, c.text), []byte(c.text), manifest.Origin{Path: "a.yaml", Line: 1}, &o)
			require.EqualError(t, doc.Err(), "a.yaml:1: "+c.want)
		})
	}
}

func TestValue(t *testing.T) {
	_, doc := decode(t, "spec:\n  mode: a\n  ready: null\n  rules: [{mode: b}, {weight: 3}]\nstatus: {mode: c}\n")
	for field, want := range map[string]any{
		"spec.mode": "a", "spec.ready": nil, "spec.rules[0].mode": "b", "spec.rules[1]": map[string]any{"weight": float64(3)},
		"spec.rules[2].mode": nil, "spec.rules[-1]": nil, "spec.rules[x]": nil, "spec.mode.deeper": nil, "spec.mode[0]": nil, "none": nil, "": nil,
		"status": nil, "status.mode": nil,
	} {
		require.Equal(t, want, doc.Value(field), field)
	}
}

func TestDocChecks(t *testing.T) {
	_, doc := decode(t, "spec:\n  mode: abort\n  count: 1\n")
	doc.Require("spec.ready", false)
	doc.Require("spec.mode", true)
	doc.OneOf("spec.mode", "abort", "Abort", "Overwrite")
	doc.OneOf("spec.count", "", "x")
	doc.OneOf("spec.weight", strings.Repeat("ab", 50), "x")
	doc.Errorf("spec.mode", "said already")
	require.EqualError(t, doc.Err(), `a.yaml:10: spec.ready is required
a.yaml:10: spec.weight is "`+strings.Repeat("ab", 40)+`...", expected x
a.yaml:11: spec.mode is "abort", expected Abort or Overwrite; did you mean "Abort"?`)
}

func TestDecodeWhatIsNoJSON(t *testing.T) {
	u := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"mode": func() {}}}}
	var o object
	require.ErrorContains(t, manifest.Decode(u, nil, manifest.Origin{Path: "a.yaml"}, &o).Err(), "a.yaml")
}

// FuzzDecode: no YAML makes decoding panic, and a manifest without mistakes is read whole.
func FuzzDecode(f *testing.F) {
	f.Add("spec: {count: 3, rules: [{mode: a}]}")
	f.Add("a: &a {b: 1}\nspec: {<<: *a}")
	f.Add("spec: {weight: 1e30, grade: 4294967296}")
	f.Fuzz(func(t *testing.T, text string) {
		var content map[string]any
		encoded, err := yaml.YAMLToJSON([]byte(text))
		if err != nil || json.Unmarshal(encoded, &content) != nil {
			return
		}
		var o object
		doc := manifest.Decode(&unstructured.Unstructured{Object: content}, []byte(text), manifest.Origin{Path: "a.yaml", Line: 1}, &o)
		if doc.Err() == nil {
			return
		}
		require.NotEmpty(t, doc.Err().Error())
	})
}
