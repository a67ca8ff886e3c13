package hub

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/text"
)

// RequestReconciliation asks the controllers to read the sources of the federation now. It returns the request, which they copy
// to status.lastHandledReconcileAt.
func (h *Hub) RequestReconciliation(ctx context.Context, fed *v1alpha1.Federation) (string, error) {
	return h.requestReconciliation(ctx, fed, "")
}

// RetryPoisoned is like RequestReconciliation, and lifts the refusal of a revision that killed the controllers twice.
func (h *Hub) RetryPoisoned(ctx context.Context, fed *v1alpha1.Federation) (string, error) {
	return h.requestReconciliation(ctx, fed, v1alpha1.RetryPoisonedAnnotation)
}

// requestReconciliation also sets another annotation to the time of the request, if it is not empty.
func (h *Hub) requestReconciliation(ctx context.Context, fed *v1alpha1.Federation, also string) (string, error) {
	request := time.Now().Format(time.RFC3339Nano)
	annotations := map[string]string{v1alpha1.RequestedAtAnnotation: request}
	if also != "" {
		annotations[also] = request
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": annotations}})
	if err != nil {
		return "", err
	}
	object := &v1alpha1.Federation{}
	object.Namespace, object.Name = fed.Namespace, fed.Name
	return request, h.Wrap("annotating federation "+fed.Name, h.Patch(ctx, object, client.RawPatch(types.MergePatchType, patch)))
}

// WaitForReconciliation waits until the controllers have handled the request, and returns the federation then. A terminal shows that it
// waits.
func (h *Hub) WaitForReconciliation(ctx context.Context, fed *v1alpha1.Federation, request string, deadline time.Time, stderr io.Writer) (*v1alpha1.Federation, error) {
	line := text.NewProgressLine(stderr, "waiting for the controllers to read "+fed.Name)
	line.Start()
	defer line.End()
	news, end := h.Changes(ctx, fed, false)
	defer end()
	for {
		now := &v1alpha1.Federation{}
		if err := h.Get(ctx, client.ObjectKeyFromObject(fed), now); err != nil && !Transient(err) {
			return nil, h.Wrap("reading federation "+fed.Name, err)
		}
		switch {
		case now.Status.LastHandledReconcileAt == request:
			return now, nil
		case !time.Now().Before(deadline):
			return nil, errTimeout
		}
		if err := WaitForChange(ctx, news, deadline); err != nil {
			return nil, err
		}
	}
}

// errTimeout is the error of a request that was not handled in time.
var errTimeout = errors.New("the controllers did not handle the request in time: check that they run")
