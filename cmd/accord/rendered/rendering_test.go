package rendered

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/dump"
)

// difficult has values that some YAML readers take for another type, or that look like comments and documents.
const difficult = `
-- objects.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: web, namespace: shop, annotations: {"on": "off", "1": "0x1f", "a/b.c": "x"}}
data:
  "yes": "yes"
  "null": "null"
  "~": "~"
  number: "1e3"
  octal: "012"
  date: "2001-01-01"
  empty: ""
  colon: "a: b"
  comment: "a # b"
  document: "---\n- a\n"
  indented: "  two\n three\n"
  spaces: "x  "
  tab: "\tx"
  wide: "ünïcödé ☃"
  quote: "it's \"so\""
  crlf: "a\r\nb\r\n"
binaryData: {k: aGk=}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, labels: {a: b}}
spec:
  replicas: 3
  ratio: 1.5
  large: 9007199254740993
  nothing: null
  list: [[], {}, [1, [2]], ""]
  template: {spec: {containers: [{name: a, image: "nginx:1"}, {name: b, image: "redis:1"}]}}
-- policies.yaml --
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: all, namespace: shop}
spec:
  resourceSelectors: [{apiVersion: v1, kind: ConfigMap}, {apiVersion: apps/v1, kind: Deployment}]
---
apiVersion: policy.karmada.io/v1alpha1
kind: OverridePolicy
metadata: {name: much, namespace: shop}
spec:
  overrideRules:
  - overriders:
      labelsOverrider: [{operator: add, value: {team: "yes"}}, {operator: remove, value: {a: ""}}]
      annotationsOverrider: [{operator: add, value: {"a/b.c": "two\nlines"}}]
---
apiVersion: policy.karmada.io/v1alpha1
kind: OverridePolicy
metadata: {name: web, namespace: shop}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]
  overrideRules:
  - overriders:
      plaintext:
      - {path: /spec/template/spec/containers/0, operator: add, value: {name: first, image: "x:1", args: [a]}}
      - {path: /spec/template/spec/containers/2/image, operator: replace, value: "redis:2"}
      - {path: /spec/template/spec/containers/0/args/-, operator: add, value: b}
-- clusters.yaml --
apiVersion: cluster.karmada.io/v1alpha1
kind: Cluster
metadata: {name: eu-1}
spec: {syncMode: Push}
`

func difficultTree(t *testing.T) *load.PlannedTree {
	require.Len(t, txtar.Parse([]byte(difficult)).Files, 3)
	in, err := dump.Read([]byte(difficult))
	require.NoError(t, err)
	plan, err := propagate.New(in)
	require.NoError(t, err)
	return &load.PlannedTree{Tree: &load.Tree{Input: in}, Plan: plan}
}

// The printed YAML is the applied object, with and without comments.
func TestRenderedYAMLIsTheObject(t *testing.T) {
	p := difficultTree(t)
	for _, explain := range []bool{false, true} {
		r, err := New(p, Options{Cluster: "eu-1", Explain: explain}, nil)
		require.NoError(t, err)
		var out bytes.Buffer
		require.NoError(t, r.Print(&out, text.AsYAML))
		_, text, _ := bytes.Cut(out.Bytes(), []byte("\n---\n"))
		documents := bytes.Split(text, []byte("\n---\n"))
		applied := p.ForCluster("eu-1").Objects
		require.Len(t, documents, len(applied))
		for i, document := range documents {
			got, err := yaml.YAMLToJSON(document)
			require.NoError(t, err, string(document))
			require.JSONEq(t, string(applied[i].Body.Bytes()), string(got))
		}
	}
}

func TestRenderExplainSaysWhoSetAField(t *testing.T) {
	p := difficultTree(t)
	r, err := New(p, Options{Cluster: "eu-1", Explain: true}, nil)
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, r.Print(&out, text.AsYAML))
	for _, c := range []struct{ state, line string }{
		{"the object", "# apps/Deployment shop/web, objects.yaml:23\n"},
		{"what no field shows", "# /metadata/labels/a was changed by shop/much overrideRules[0].labelsOverrider[1], policies.yaml:13, and that does not show below\n"},
		{"a value", `team: "yes" # shop/much overrideRules[0].labelsOverrider[0], policies.yaml:13` + "\n"},
		{"a value of several lines", "# shop/much overrideRules[0].annotationsOverrider[0], policies.yaml:14\n    a/b.c: |-\n"},
		{"an item of a list", "- a # shop/web overrideRules[0].plaintext[0], policies.yaml:24\n            - b # shop/web overrideRules[0].plaintext[2], policies.yaml:26\n"},
		{"a field in an item that moved", "image: redis:2 # shop/web overrideRules[0].plaintext[1], policies.yaml:25\n"},
		{"a division", "replicas: 3 # all of them (no replicaScheduling): shop/all, policies.yaml:4\n"},
	} {
		t.Run(c.state, func(t *testing.T) { require.Contains(t, out.String(), c.line) })
	}
}

func TestRedact(t *testing.T) {
	var object map[string]any
	require.NoError(t, json.Unmarshal([]byte(`{
		"metadata": {"name": "db", "annotations": {
			"accord.dev/digest": "planted", "note": "kept", "kubectl.kubernetes.io/last-applied-configuration": "planted"}},
		"data": {"a": "planted", "b": {"c": "planted"}}, "stringData": ["planted"], "type": "Opaque"}`), &object))
	redact(object)
	text, err := json.Marshal(object)
	require.NoError(t, err)
	require.NotContains(t, string(text), "planted")
	require.Contains(t, string(text), "kept")
	require.Contains(t, string(text), "Opaque")
	redact(map[string]any{"metadata": "nonsense"})
}
