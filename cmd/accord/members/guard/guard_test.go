package guard_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/members/guard"
)

const base = "/hub/apis/cluster.karmada.io/v1alpha1/clusters/eu-1/proxy"

// member has Deployment shop/web, which accord delivered, its ReplicaSet, to which a controller copied the annotation, and Node n1.
func member(w http.ResponseWriter, r *http.Request) {
	const object = `{"apiVersion":%q,"kind":%q,"metadata":{"namespace":%q,"name":%q,"labels":%s,"annotations":{"accord.dev/digest":"1"}}}`
	switch r.URL.Path {
	case base + "/apis/apps/v1/namespaces/shop/deployments/web":
		fmt.Fprintf(w, object, "apps/v1", "Deployment", "shop", "web", `{"applyset.kubernetes.io/part-of":"applyset-x"}`)
	case base + "/apis/apps/v1/namespaces/shop/replicasets/web-1":
		fmt.Fprintf(w, object, "apps/v1", "ReplicaSet", "shop", "web-1", `{}`)
	case base + "/api/v1/nodes/n1":
		fmt.Fprint(w, `{"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"}}`)
	default:
		http.NotFound(w, r)
	}
}

var record = v1alpha1.FederatedObject{
	ObjectMeta: metav1.ObjectMeta{Namespace: "prod", Name: "shop-deployment-web"},
	Spec: v1alpha1.FederatedObjectSpec{
		Federation: "shop", Template: v1alpha1.TemplateRef{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "shop", Name: "web", Origin: "apps/web.yaml:12"},
		Results: []v1alpha1.Result{{Digest: "1", Clusters: []string{"eu-1", "us-1"}}},
	},
}

func TestGuard(t *testing.T) {
	const (
		deployment = "/apis/apps/v1/namespaces/shop/deployments/web"
		sentence   = "Deployment shop/web on eu-1 is managed by accord: change apps/web.yaml:12, which Federation prod/shop delivers; --force-drift writes to the cluster until accord repairs the object"
	)
	for _, x := range []struct {
		name, method, path string
		reads              bool
		want               string
	}{
		{"a patch", http.MethodPatch, deployment, false, sentence},
		{"an update", http.MethodPut, deployment + "?fieldManager=x", false, sentence},
		{"a deletion", http.MethodDelete, deployment, false, sentence},
		{"a scaling", http.MethodPatch, deployment + "/scale", false, sentence},
		{"a dry-run", http.MethodPatch, deployment + "?dryRun=All", false, ""},
		{"reading", http.MethodGet, deployment, false, ""},
		{"reading for an editor", http.MethodGet, deployment, true, sentence},
		{"an object of a controller", http.MethodDelete, "/apis/apps/v1/namespaces/shop/replicasets/web-1", false, ""},
		{"an object of somebody else", http.MethodPatch, "/api/v1/nodes/n1", false, ""},
		{"an object that does not exist", http.MethodPatch, "/api/v1/nodes/n2", false, ""},
		{"a new object", http.MethodPost, "/apis/apps/v1/namespaces/shop/deployments", false, ""},
		{"a command in a pod", http.MethodPost, "/api/v1/namespaces/shop/pods/web/exec", false, ""},
		{"all objects at once", http.MethodDelete, "/apis/apps/v1/namespaces/shop/deployments", false, "accord deletes no collection of objects of a member at once: name the objects, or set --force-drift"},
	} {
		t.Run(x.name, func(t *testing.T) {
			arrived := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == x.method && r.URL.Path == base+strings.Split(x.path, "?")[0] {
					arrived++
				}
				member(w, r)
			}))
			defer server.Close()
			g := &guard.Guard{Cluster: "eu-1", Base: base, Reads: x.reads, Records: func(context.Context) ([]v1alpha1.FederatedObject, error) {
				return []v1alpha1.FederatedObject{record}, nil
			}}
			req, err := http.NewRequest(x.method, server.URL+base+x.path, strings.NewReader("{}"))
			require.NoError(t, err)
			resp, err := (&http.Client{Transport: g.Wrap(http.DefaultTransport)}).Do(req)
			require.NoError(t, err)
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			if x.want == "" {
				require.Empty(t, g.Refused())
				require.Positive(t, arrived)
				return
			}
			require.Equal(t, []string{x.want}, g.Refused())
			require.Equal(t, http.StatusForbidden, resp.StatusCode)
			require.Contains(t, string(body), x.want)
			if x.method != http.MethodGet {
				require.Zero(t, arrived, "the write reached the cluster")
			}
		})
	}
}

// TestWithoutTheRecord: the caller may not read the records of the hub, or another hub delivers the object.
func TestWithoutTheRecord(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(member))
	defer server.Close()
	elsewhere := record
	elsewhere.Spec.Results = []v1alpha1.Result{{Digest: "1", Clusters: []string{"us-1"}}}
	for _, records := range []guard.Records{
		func(context.Context) ([]v1alpha1.FederatedObject, error) { return nil, errors.New("forbidden") },
		func(context.Context) ([]v1alpha1.FederatedObject, error) {
			return []v1alpha1.FederatedObject{elsewhere}, nil
		},
	} {
		g := &guard.Guard{Cluster: "eu-1", Base: base, Records: records}
		req, err := http.NewRequest(http.MethodDelete, server.URL+base+"/apis/apps/v1/namespaces/shop/deployments/web", nil)
		require.NoError(t, err)
		resp, err := (&http.Client{Transport: g.Wrap(http.DefaultTransport)}).Do(req)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, []string{"Deployment shop/web on eu-1 is managed by accord: change it in Git; --force-drift writes to the cluster until accord repairs the object"}, g.Refused())
	}
}
