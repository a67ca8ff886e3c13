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

// answerStorage takes the answers of agents to the questions of their indexes.
type answerStorage struct {
	subresource
	store *bundles.Store
}

var _ rest.Connecter = (*answerStorage)(nil)

// ConnectMethods implements rest.Connecter.
func (*answerStorage) ConnectMethods() []string { return []string{http.MethodPost} }

// Connect implements rest.Connecter. RBAC has decided that the user may do this. A role with the right to create everything has this right,
// too, and would answer in place of the cluster: only the agent itself does.
func (s *answerStorage) Connect(ctx context.Context, cluster string, _ runtime.Object, out rest.Responder) (http.Handler, error) {
	if agent, known := request.UserFrom(ctx); !known || !delivery.IsAgent(agent.GetName(), cluster) {
		return nil, apierrors.NewForbidden(resource, cluster, fmt.Errorf("only the agent of cluster %q answers its questions", cluster))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := s.take(r.Body, cluster); err != nil {
			out.Error(err)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}), nil
}

// take passes an answer on to the one who waits for it.
func (s *answerStorage) take(body io.Reader, cluster string) error {
	text, err := readAtMost(body, delivery.MaxAnswerBytes, fmt.Sprintf("an answer has at most %d bytes", delivery.MaxAnswerBytes))
	if err != nil {
		return err
	}
	var answer struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(text, &answer); err != nil || answer.ID == "" {
		return apierrors.NewBadRequest(`the body is an answer: {"id": "<that of the question in the index>", ...}`)
	}
	if !s.store.Answer(cluster, answer.ID, text) {
		return apierrors.NewNotFound(resource, answer.ID)
	}
	return nil
}
