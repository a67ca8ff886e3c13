package hub

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// startingHub has an API server that first serves no kind of accord.
func startingHub(t *testing.T) *Hub {
	var requests atomic.Int32
	group := metav1.APIGroup{
		Name:             v1alpha1.GroupVersion.Group,
		Versions:         []metav1.GroupVersionForDiscovery{{GroupVersion: v1alpha1.GroupVersion.String(), Version: v1alpha1.GroupVersion.Version}},
		PreferredVersion: metav1.GroupVersionForDiscovery{GroupVersion: v1alpha1.GroupVersion.String(), Version: v1alpha1.GroupVersion.Version},
	}
	answers := map[string]any{
		"/api": metav1.APIVersions{Versions: []string{"v1"}},
		"/apis/" + v1alpha1.GroupVersion.String(): metav1.APIResourceList{
			GroupVersion: v1alpha1.GroupVersion.String(),
			APIResources: []metav1.APIResource{{Name: "federations", Namespaced: true, Kind: "Federation", Verbs: metav1.Verbs{"list"}}},
		},
		"/apis/" + v1alpha1.GroupVersion.String() + "/namespaces/demo/federations": v1alpha1.FederationList{
			TypeMeta: metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "FederationList"},
			Items:    []v1alpha1.Federation{{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "shop"}}},
		},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := requests.Add(1)
		answer, found := answers[r.URL.Path]
		if r.URL.Path == "/apis" {
			answer, found = metav1.APIGroupList{Groups: []metav1.APIGroup{group}}, true
			if n < 8 {
				answer = metav1.APIGroupList{}
			}
		}
		if !found || n < 8 && r.URL.Path != "/api" && r.URL.Path != "/apis" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer)
	}))
	t.Cleanup(server.Close)
	config := api.NewConfig()
	config.Clusters["hub"] = &api.Cluster{Server: server.URL}
	config.Contexts["hub"] = &api.Context{Cluster: "hub"}
	config.CurrentContext = "hub"
	file := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, clientcmd.WriteToFile(*config, file))
	f := Flags{Kubeconfig: file, namespace: "demo"}
	h, err := f.Connect()
	require.NoError(t, err)
	return h
}

func TestAwaitFederationWaitsForAHubThatStarts(t *testing.T) {
	_, err := startingHub(t).Federation(t.Context(), "shop")
	require.Error(t, err)
	fed, err := startingHub(t).AwaitFederation(t.Context(), "shop")
	require.NoError(t, err)
	require.Equal(t, "shop", fed.Name)
	_, err = startingHub(t).AwaitFederation(t.Context(), "shpo")
	require.ErrorContains(t, err, `no federation "shpo"`, "the hub has answered")
}
