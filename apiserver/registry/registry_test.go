package registry_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/accord-dev/accord/apiserver/bundles"
	"github.com/accord-dev/accord/apiserver/registry"
)

// responder keeps the error of a request.
type responder struct{ err error }

func (*responder) Object(int, runtime.Object) {}
func (r *responder) Error(err error)          { r.err = err }

// TestAReplicaWithoutTheBundleEndsTheConnection: the hub's API server keeps connections, and would ask the same replica again.
func TestAReplicaWithoutTheBundleEndsTheConnection(t *testing.T) {
	for replicas, want := range map[bool]string{true: "close", false: ""} {
		storage := registry.Storage(registry.Options{Bundles: bundles.New(bundles.CompressedLimit), Replicas: replicas})
		var out responder
		handler, err := storage["bundles/index"].(rest.Connecter).Connect(t.Context(), "eu", nil, &out)
		require.NoError(t, err)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/index", nil))
		require.True(t, apierrors.IsServiceUnavailable(out.err))
		require.Equal(t, want, w.Header().Get("Connection"))
	}
}
