package discovery

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
)

func find(s APIs, groupVersion, kind string) v1alpha1.APIResource {
	for _, e := range s.Enablements {
		for _, r := range e.Resources {
			if e.GroupVersion == groupVersion && r.Kind == kind {
				return r
			}
		}
	}
	return v1alpha1.APIResource{}
}

// An API server that serves one group itself, and another through an aggregated API server that does not answer.
func TestLookOfAPartialAnswer(t *testing.T) {
	const accepted = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
	asked := 0
	k := connect(t, served(t, func(w http.ResponseWriter, r *http.Request) {
		asked++
		w.Header().Set("Content-Type", accepted)
		if r.URL.Path == "/api" {
			_, _ = w.Write([]byte(`{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[{"versions":[{"version":"v1","freshness":"Current",
				"resources":[{"resource":"pods","responseKind":{"group":"","version":"v1","kind":"Pod"},"scope":"Namespaced","verbs":["get","list"]}]}]}]}`))
			return
		}
		_, _ = w.Write([]byte(`{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[
			{"metadata":{"name":"metrics.k8s.io"},"versions":[{"version":"v1beta1","freshness":"Stale"}]}]}`))
	}))
	s, err := k.Discover()
	require.NoError(t, err)
	require.Equal(t, []v1alpha1.APIEnablement{{GroupVersion: "v1", Resources: []v1alpha1.APIResource{{Name: "pods", Kind: "Pod", Scope: "Namespaced"}}}}, s.Enablements)
	require.Equal(t, []string{"metrics.k8s.io/v1beta1"}, s.Unavailable)
	require.Equal(t, 4, asked, "two requests, and both again because something is missing")
}

func TestLookAtNobody(t *testing.T) {
	k := connect(t, served(t, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusServiceUnavailable) }))
	_, err := k.Discover()
	require.ErrorContains(t, err, "discovering APIs")
}

func TestListedIsBounded(t *testing.T) {
	many := func(n int) APIs {
		e := v1alpha1.APIEnablement{GroupVersion: "example.com/v1"}
		for i := range n {
			e.Resources = append(e.Resources, enablementOf("", []metav1.APIResource{{Name: fmt.Sprintf("things%05d", i), Kind: fmt.Sprintf("Thing%05d", i)}}).Resources...)
		}
		return APIs{Enablements: []v1alpha1.APIEnablement{e}}
	}
	list, ok := many(650).ForStatus()
	require.True(t, ok)
	require.Equal(t, v1alpha1.APIResource{Name: "things00000", Kind: "Thing00000", Scope: "Cluster"}, list[0].Resources[0])

	list, ok = many(900).ForStatus()
	require.True(t, ok)
	require.Equal(t, v1alpha1.APIResource{Kind: "Thing00000", Scope: "Cluster"}, list[0].Resources[0], "without names")

	list, ok = many(1500).ForStatus()
	require.True(t, ok)
	require.Equal(t, v1alpha1.APIResource{Kind: "Thing00000"}, list[0].Resources[0], "without names and scopes")
	require.Len(t, list[0].Resources, 1500)
	require.LessOrEqual(t, size(list), maxStatusList)

	list, ok = many(5000).ForStatus()
	require.False(t, ok)
	require.Empty(t, list, "nothing is better than half")
}
