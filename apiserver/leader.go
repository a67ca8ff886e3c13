package apiserver

import (
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/endpoints/handlers/responsewriters"
	"k8s.io/apiserver/pkg/endpoints/request"

	"github.com/accord-dev/accord/api/delivery"
)

// ofLeader refuses requests for bundles on a replica that publishes none, because another one leads. It ends their connection, too: the
// hub's API server keeps connections, and would forward the next request to the same replica.
func ofLeader(next http.Handler, o Options, codecs runtime.NegotiatedSerializer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		info, ok := request.RequestInfoFrom(r.Context())
		if !ok || !info.IsResourceRequest || info.APIGroup != delivery.GroupVersion.Group || info.Subresource == delivery.Attach || o.Bundles.Opened() {
			next.ServeHTTP(w, r)
			return
		}
		if !o.Local {
			w.Header().Set("Connection", "close")
		}
		err := apierrors.NewServiceUnavailable("this replica publishes no bundles, because another one leads or none does yet: try again")
		err.ErrStatus.Details = &metav1.StatusDetails{RetryAfterSeconds: 1}
		responsewriters.ErrorNegotiated(err, codecs, delivery.GroupVersion, w, r)
	})
}
