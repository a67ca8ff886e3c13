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

// ofLeader forwards requests for bundles to the replica that publishes them, unless this one does. If none can be reached, it refuses the
// request and ends the connection: the hub's API server keeps connections, and would forward the next request to the same replica.
func (w *ways) ofLeader(next http.Handler, o Options, codecs runtime.NegotiatedSerializer, stopping <-chan struct{}) http.Handler {
	return http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		info, ok := request.RequestInfoFrom(r.Context())
		if !ok || !info.IsResourceRequest || info.APIGroup != delivery.GroupVersion.Group || info.Subresource == delivery.Attach || o.Bundles.Opened() {
			next.ServeHTTP(out, r)
			return
		}
		if user, known := request.UserFrom(r.Context()); known && w.others != nil && w.others.Forward(out, r, user, stopping) {
			return
		}
		if !o.Local {
			out.Header().Set("Connection", "close")
		}
		err := apierrors.NewServiceUnavailable("this replica publishes no bundles, and reaches none that does: try again")
		err.ErrStatus.Details = &metav1.StatusDetails{RetryAfterSeconds: 1}
		responsewriters.ErrorNegotiated(err, codecs, delivery.GroupVersion, out, r)
	})
}
