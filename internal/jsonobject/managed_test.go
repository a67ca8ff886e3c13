package jsonobject_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/internal/jsonobject"
)

// managed decodes with the JSON decoder of the standard library.
func managed(t *testing.T, text string) (string, []metav1.ManagedFieldsEntry) {
	t.Helper()
	var object metav1.PartialObjectMetadata
	require.NoError(t, json.Unmarshal([]byte(text), &object))
	for i := range object.ManagedFields {
		e := &object.ManagedFields[i]
		e.APIVersion, e.FieldsType, e.Time = "", "", nil
	}
	return object.ResourceVersion, object.ManagedFields
}

func TestManaged(t *testing.T) {
	for name, text := range map[string]string{
		"metadata":        answer,
		"a whole object":  `{"spec":{"metadata":{"resourceVersion":"1"},"list":[{"resourceVersion":"2"},[]]},"metadata":{"resourceVersion":"7"},"status":null}`,
		"no managers":     `{"metadata":{"resourceVersion":"7","managedFields":[]}}`,
		"null":            `{"metadata":{"resourceVersion":null,"managedFields":null}}`,
		"escapes":         `{"metadata":{"resourceVersion":"\u0037","managedFields":[{"manager":"a\"b","fieldsV1":{"f:a":{"k:{\"n\":\"x\"}":{}}}}]}}`,
		"space":           " {\n \"metadata\" : { \"managedFields\" : [ { \"manager\" : \"a\" , \"fieldsV1\" : { } } , { } ] , \"resourceVersion\" : \"7\" } }\n",
		"metadata twice":  `{"metadata":{"resourceVersion":"7","managedFields":[{"manager":"a"}]},"metadata":{"resourceVersion":"8","managedFields":[{"manager":"b"}]}}`,
		"an empty object": `{"metadata":{}}`,
	} {
		t.Run(name, func(t *testing.T) {
			version, managers := managed(t, text)
			for range 2 { // the second time with a decoder that was used
				gotVersion, got, err := jsonobject.Managed([]byte(text))
				require.NoError(t, err)
				require.Equal(t, version, gotVersion)
				require.Len(t, got, len(managers))
				for i := range got {
					require.Equal(t, managers[i], got[i])
				}
			}
		})
	}
	for _, text := range []string{``, `{`, `[]`, `null`, `{}`, `{"metadata":{}}}`, `{"metadata":{}} x`, `{"metadata":{"managedFields":[{]}}`, `{"metadata":{"resourceVersion":"7"}`, answer[:len(answer)-1]} {
		_, _, err := jsonobject.Managed([]byte(text))
		require.Error(t, err, text)
	}
}

// answer is the answer of an API server to the apply of a Deployment.
var answer = `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"web-0001","namespace":"shop","uid":"5f1c1f0e-6f4b-4a0e-9d54-3f1d1b6d7c11",` +
	`"resourceVersion":"123456","generation":1,"creationTimestamp":"2026-11-23T12:00:00Z","labels":{"app":"web-0001","applyset.kubernetes.io/part-of":"applyset-x","team":"shop"},` +
	`"annotations":{"accord.dev/digest":"0123456789abcdef0123456789abcdef"},"managedFields":[{"manager":"accord","operation":"Apply","apiVersion":"apps/v1","time":"2026-11-23T12:00:00Z",` +
	`"fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:annotations":{"f:accord.dev/digest":{}},"f:labels":{"f:app":{},"f:applyset.kubernetes.io/part-of":{},"f:team":{}}},"f:spec":{"f:replicas":{},"f:selector":{},` +
	`"f:template":{"f:metadata":{"f:labels":{"f:app":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"web\"}":{".":{},"f:image":{},"f:name":{},"f:env":{` + strings.Repeat(`"k:{\"name\":\"A\"}":{".":{},"f:name":{},"f:value":{}},`, 10) + `"f:x":{}},"f:ports":{"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{}}},` +
	`"f:resources":{"f:limits":{"f:cpu":{},"f:memory":{}},"f:requests":{"f:cpu":{},"f:memory":{}}}}}}}}}},{"manager":"kube-controller-manager","operation":"Update","apiVersion":"apps/v1","time":"2026-11-23T12:00:01Z",` +
	`"fieldsType":"FieldsV1","fieldsV1":{"f:status":{"f:availableReplicas":{},"f:conditions":{".":{},"k:{\"type\":\"Available\"}":{".":{},"f:status":{}}}}},"subresource":"status"}]}}`

// BenchmarkManaged decodes the answer to an apply.
func BenchmarkManaged(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := jsonobject.Managed([]byte(answer)); err != nil {
			b.Fatal(err)
		}
	}
}
