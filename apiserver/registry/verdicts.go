package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/accord-dev/accord/api/delivery"
	"github.com/accord-dev/accord/apiserver/bundles"
)

// verdictStorage takes the verdicts of agents about plans that they tried.
type verdictStorage struct{ store *bundles.Store }

var _ rest.Connecter = (*verdictStorage)(nil)

// New implements rest.Storage.
func (*verdictStorage) New() runtime.Object { return &delivery.Bundle{} }

// Destroy implements rest.Storage.
func (*verdictStorage) Destroy() {}

// NewConnectOptions implements rest.Connecter.
func (*verdictStorage) NewConnectOptions() (runtime.Object, bool, string) { return nil, false, "" }

// ConnectMethods implements rest.Connecter.
func (*verdictStorage) ConnectMethods() []string { return []string{http.MethodPost} }

// Connect implements rest.Connecter. RBAC has decided that the user may do this. A role with the right to create everything has this right,
// too, and would decide about plans in place of the cluster: only the agent itself does.
func (s *verdictStorage) Connect(ctx context.Context, cluster string, _ runtime.Object, out rest.Responder) (http.Handler, error) {
	if agent, known := request.UserFrom(ctx); !known || !delivery.IsAgent(agent.GetName(), cluster) {
		return nil, apierrors.NewForbidden(resource, cluster, fmt.Errorf("only the agent of cluster %q gives its verdicts", cluster))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := s.take(r.Body, cluster); err != nil {
			out.Error(err)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}), nil
}

// take passes a verdict on to the one who waits for it.
func (s *verdictStorage) take(body io.Reader, cluster string) error {
	text, err := readAtMost(body, delivery.MaxVerdictBytes, fmt.Sprintf("a verdict has at most %d bytes", delivery.MaxVerdictBytes))
	if err != nil {
		return err
	}
	var verdict struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(text, &verdict); err != nil || verdict.ID == "" {
		return apierrors.NewBadRequest(`the body is a verdict: {"id": "<that of the trial in the index>", ...}`)
	}
	if !s.store.Answer(cluster, verdict.ID, text) {
		return apierrors.NewNotFound(resource, verdict.ID)
	}
	return nil
}
