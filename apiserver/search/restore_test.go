package search

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/kubernetes/pkg/api/legacyscheme"

	"github.com/accord-dev/accord/clusters/search"
)

// TestBodiesAreThoseOfTheCluster: a body that a client made from a cached object has the resourceVersion of the cluster afterwards, and no
// annotation of the cache.
func TestBodiesAreThoseOfTheCluster(t *testing.T) {
	encoded := search.Versions{"eu": "7", "us": "12"}.String()
	for name, c := range map[string]struct{ verb, media, body, want string }{
		"update": {
			"update", "application/json", `{"metadata":{"name":"a","resourceVersion":"` + encoded + `","annotations":{"resource.karmada.io/cached-from-cluster":"eu","b":"c"}},"data":{"n":1.50}}`,
			`{"data":{"n":1.50},"metadata":{"annotations":{"b":"c"},"name":"a","resourceVersion":"7"}}`,
		},
		"a plain version":  {"update", "application/json", `{"metadata":{"resourceVersion":"9"}}`, `{"metadata":{"resourceVersion":"9"}}`},
		"merge patch":      {"patch", "application/merge-patch+json", `{"metadata":{"resourceVersion":"` + encoded + `"}}`, `{"metadata":{"resourceVersion":"7"}}`},
		"a null version":   {"patch", "application/merge-patch+json", `{"metadata":{"resourceVersion":null}}`, `{"metadata":{"resourceVersion":null}}`},
		"strategic patch":  {"patch", "application/strategic-merge-patch+json", `{"metadata":{"resourceVersion":"` + encoded + `"}}`, `{"metadata":{"resourceVersion":"7"}}`},
		"apply":            {"patch", "application/apply-patch+yaml", "metadata:\n  resourceVersion: " + encoded + "\n", `{"metadata":{"resourceVersion":"7"}}`},
		"delete":           {"delete", "application/json", `{"preconditions":{"resourceVersion":"` + encoded + `","uid":"x"}}`, `{"preconditions":{"resourceVersion":"7","uid":"x"}}`},
		"delete, no body":  {"delete", "application/json", "", ""},
		"JSON patch":       {"patch", "application/json-patch+json", `[{"op":"test","path":"/metadata/resourceVersion","value":"` + encoded + `"},{"op":"remove","path":"/metadata/annotations/resource.karmada.io~1cached-from-cluster"}]`, `[{"op":"test","path":"/metadata/resourceVersion","value":"7"}]`},
		"an unknown media": {"patch", "text/plain", "x", "x"},
	} {
		t.Run(name, func(t *testing.T) {
			got, media := restored(t, c.verb, c.media, []byte(c.body))
			require.Equal(t, c.want, got)
			require.Equal(t, c.media, media)
		})
	}
	t.Run("protobuf", func(t *testing.T) {
		info, _ := runtime.SerializerInfoForMediaType(legacyscheme.Codecs.SupportedMediaTypes(), runtime.ContentTypeProtobuf)
		for verb, object := range map[string]runtime.Object{
			"update": &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a", ResourceVersion: encoded, Annotations: map[string]string{search.ClusterAnnotation: "eu"}}},
			"delete": &metav1.DeleteOptions{Preconditions: &metav1.Preconditions{ResourceVersion: &encoded}},
		} {
			var body bytes.Buffer
			require.NoError(t, legacyscheme.Codecs.EncoderForVersion(info.Serializer, schema.GroupVersion{Version: "v1"}).Encode(object, &body))
			got, media := restored(t, verb, runtime.ContentTypeProtobuf, body.Bytes())
			require.Equal(t, runtime.ContentTypeJSON, media)
			require.Contains(t, got, `"resourceVersion":"7"`)
			require.Contains(t, got, `"apiVersion":"v1"`)
			require.NotContains(t, got, search.ClusterAnnotation)
		}
	})
	r, err := http.NewRequest(http.MethodPut, "https://cluster", bytes.NewReader([]byte("[")))
	require.NoError(t, err)
	err = (&Server{}).restore(r, &asked{RequestInfo: &request.RequestInfo{Verb: "update"}}, &search.Object{Cluster: "eu"})
	require.ErrorContains(t, err, "not of the form that its Content-Type names")
}

// restored returns the body and the media type that the cluster gets.
func restored(t *testing.T, verb, media string, body []byte) (string, string) {
	r, err := http.NewRequest(http.MethodPost, "https://cluster", bytes.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Content-Type", media)
	require.NoError(t, (&Server{}).restore(r, &asked{RequestInfo: &request.RequestInfo{Verb: verb}}, &search.Object{Cluster: "eu"}))
	got, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	require.Equal(t, int64(len(got)), r.ContentLength)
	return string(got), r.Header.Get("Content-Type")
}
