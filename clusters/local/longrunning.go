package local

import (
	"net/http"

	"k8s.io/apiserver/pkg/endpoints/request"
)

// waitingToo returns a check that also takes requests for long-running ones that wait for the index of a bundle (?wait=30s), which the
// aggregated API server of accord answers: as for watches, neither the limit of requests in flight nor that of their time applies.
func waitingToo(longRunning request.LongRunningRequestCheck) request.LongRunningRequestCheck {
	return func(r *http.Request, info *request.RequestInfo) bool {
		return longRunning(r, info) || info.APIGroup == "delivery.accord.dev" && info.Subresource == "index" && r.URL.Query().Has("wait")
	}
}
