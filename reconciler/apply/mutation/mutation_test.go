package mutation

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/apply/ownership"
)

func parse(t *testing.T, text string) map[string]any {
	raw, err := yaml.YAMLToJSON([]byte(text))
	require.NoError(t, err)
	var object map[string]any
	require.NoError(t, utiljson.Unmarshal(raw, &object))
	return object
}

// fieldsOf returns the FieldsV1 of an applied object, with the keys of Kubernetes' lists. Other lists are one value.
func fieldsOf(v any) map[string]any {
	fields := map[string]any{}
	object, _ := v.(map[string]any)
	for name, v := range object {
		below := map[string]any{}
		if keys := listKeys[name]; keys != nil {
			for _, item := range v.([]any) {
				key := map[string]any{}
				for _, k := range keys {
					key[k] = item.(map[string]any)[k]
					if key[k] == nil {
						key[k] = "TCP"
					}
				}
				text, _ := json.Marshal(key)
				below["k:"+string(text)] = fieldsOf(item)
			}
		} else {
			below = fieldsOf(v)
		}
		fields["f:"+name] = below
	}
	return fields
}

var listKeys = map[string][]string{"containers": {"name"}, "env": {"name"}, "volumeMounts": {"mountPath"}, "ports": {"containerPort", "protocol"}}

func TestDefectR10Compare(t *testing.T) {
	for name, c := range map[string]struct {
		applied, live string
		yielded       string
		want          []string
	}{
		"the same":               {applied: "spec: {replicas: 2}", live: "spec: {replicas: 2}"},
		"another number":         {applied: "spec: {replicas: 2}", live: "spec: {replicas: 1}", want: []string{"spec.replicas: 2 became 1"}},
		"a yielded field":        {applied: "spec: {replicas: 2, paused: true}", live: "spec: {replicas: 1, paused: true}", yielded: "spec.replicas"},
		"zero became one":        {applied: "spec: {replicas: 0}", live: "spec: {replicas: 1}", want: []string{"spec.replicas: 0 became 1"}},
		"a default":              {applied: "spec: {replicas: 2}", live: "spec: {replicas: 2, paused: false}"},
		"a quantity":             {applied: "spec: {cpu: 1000m, memory: 1024Mi, n: 1, f: 0.1}", live: `spec: {cpu: "1", memory: 1Gi, n: "1", f: 100m}`},
		"another quantity":       {applied: "spec: {cpu: 1000m}", live: `spec: {cpu: "2"}`, want: []string{`spec.cpu: "1000m" became "2"`}},
		"a duration, a time":     {applied: "spec: {every: 5m, at: '2026-01-01T00:00:00+01:00'}", live: `spec: {every: 5m0s, at: "2025-12-31T23:00:00Z"}`},
		"a number or a text":     {applied: "spec: {port: 80, target: '81'}", live: `spec: {port: 80, target: "81"}`},
		"an empty value dropped": {applied: "spec: {a: null, b: {}, c: '', list: [], no: false}", live: "spec: {}"},
		"an assigned value":      {applied: "spec: {clusterIP: '', ports: [{containerPort: 1, nodePort: 0}]}", live: "spec: {clusterIP: 10.0.0.1, ports: [{containerPort: 1, protocol: TCP, nodePort: 31000}]}"},
		"a removed label":        {applied: "metadata: {labels: {example.com/a: x}}", live: "metadata: {}", want: []string{`metadata.labels[example.com/a]: "x" was removed`}},
		"the image of a container beside another's": {
			applied: "spec: {containers: [{name: web, image: 'a:1'}]}", live: "spec: {containers: [{name: sidecar, image: s}, {name: web, image: 'mirror/a:1'}]}",
			want: []string{`spec.containers[web].image: "a:1" became "mirror/a:1"`},
		},
		"items whose name is no key": {
			applied: "volumeMounts: [{mountPath: /a, name: data, readOnly: true}, {mountPath: /b, name: data, readOnly: false}]",
			live:    "volumeMounts: [{mountPath: /token, name: token}, {mountPath: /a, name: data, readOnly: true}, {mountPath: /b, name: data}]",
		},
		"an item without a defaulted key": {
			applied: "ports: [{containerPort: 80, name: http}]", live: "ports: [{containerPort: 1, protocol: TCP}, {containerPort: 80, protocol: TCP, name: web}]",
			want: []string{`ports[containerPort=80,protocol=TCP].name: "http" became "web"`},
		},
		"an argument":             {applied: "args: [a, b]", live: "args: [a, c]", want: []string{`args[1]: "b" became "c"`}},
		"an argument more":        {applied: "args: [a]", live: "args: [a, b]", want: []string{`args: ["a"] became ["a","b"]`}},
		"tolerations of a Pod":    {applied: "tolerations: [{key: a}]", live: "tolerations: [{key: a}, {key: not-ready, seconds: 300}]"},
		"a toleration less":       {applied: "tolerations: [{key: a}, {key: b}]", live: "tolerations: [{key: b}]", want: []string{`tolerations: [{"key":"a"},{"key":"b"}] became [{"key":"b"}]`}},
		"a Secret shows no value": {applied: "kind: Secret\ndata: {k: YQ==}", live: "kind: Secret\ndata: {k: Yg==}", want: []string{"data.k was changed"}},
		"a Secret in other forms": {applied: "kind: Secret\ndata: {k: \"Y\\nQ==\"}\nstringData: {t: x}", live: "kind: Secret\ndata: {k: YQ==, t: eA==}"},
		"metadata of the server":  {applied: "metadata: {creationTimestamp: null, labels: {x: a}}", live: "metadata: {creationTimestamp: now, uid: b, labels: {x: b}}", want: []string{`metadata.labels.x: "a" became "b"`}},
		"another API version":     {applied: "apiVersion: v1beta1\nspec: {a: 1}", live: "apiVersion: v1\nspec: {a: 2}"},
		"control characters":      {applied: "data: {a: x}", live: `data: {a: "\e[31m"}`, want: []string{`data.a: "x" became "\u001b[31m"`}},
		"many fields":             {applied: "data: {a: 1, b: 1, c: 1, d: 1, e: 1, f: 1}", live: "data: {a: 2}", want: []string{"data.a: 1 became 2", "data.b: 1 was removed", "data.c: 1 was removed", "data.d: 1 was removed", "data.e: 1 was removed"}},
	} {
		t.Run(name, func(t *testing.T) {
			applied := parse(t, c.applied)
			owned, err := json.Marshal(fieldsOf(applied))
			require.NoError(t, err)
			owners := ownership.OfEntries([]metav1.ManagedFieldsEntry{{Manager: v1alpha1.FieldManager, Operation: "Apply", FieldsV1: metav1.NewFieldsV1(string(owned))}})
			var got []string
			for _, f := range Compare(applied, parse(t, c.live), []ownership.Yielded{{Path: c.yielded}}, owners) {
				got = append(got, f.String())
			}
			require.Equal(t, c.want, got)
		})
	}
}

func TestOnlyOwnedFieldsAreCompared(t *testing.T) {
	applied := parse(t, "spec: {replicas: 2, paused: true}")
	live := maps.Clone(applied)
	live["spec"] = map[string]any{"replicas": int64(1), "paused": false}
	owners := ownership.OfEntries([]metav1.ManagedFieldsEntry{
		{Manager: "autoscaler", Operation: "Update", FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:replicas":{}}}`)},
		{Manager: v1alpha1.FieldManager, Operation: "Apply", FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:paused":{}}}`)},
	})
	require.Equal(t, []v1alpha1.MutatedField{{Field: "spec.paused", Applied: "true", Live: "false"}}, Compare(applied, live, nil, owners))
}
