package clusters

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
)

// Facts are what a cluster says about itself.
type Facts struct {
	// Version of the API server, "v1.34.1".
	Version string
	// NodesTotal and NodesReady are 0 when we may not list nodes.
	NodesTotal, NodesReady int32
}

// nodePage bounds how many nodes one answer has.
const nodePage = 500

var nodes = schema.GroupVersionResource{Version: "v1", Resource: "nodes"}

// Probe asks a member whether it is there, in the time that ctx gives. The error is a sentence for people; Reason has
// it in one word. Not being allowed to list nodes is no error; being refused otherwise is, and so are credentials
// that are not accepted.
func Probe(ctx context.Context, m *Member) (Facts, error) {
	var facts Facts
	var err error
	if facts.Version, err = Ping(ctx, m); err != nil {
		return facts, err
	}
	if err := facts.countNodes(ctx, m); err != nil && !apierrors.IsForbidden(err) {
		return facts, explain(m, "listing its nodes", err)
	}
	return facts, nil
}

// Ping asks a member for its version and nothing else: the cheapest question that shows whether it is there and knows us.
func Ping(ctx context.Context, m *Member) (string, error) {
	answer, err := m.server.RESTClient().Get().AbsPath("/version").Do(ctx).Raw()
	if err != nil {
		return "", explain(m, "asking for its version", err)
	}
	var v version.Info
	if err := json.Unmarshal(answer, &v); err != nil || v.GitVersion == "" {
		return "", fmt.Errorf("cluster %s: what answers there is not a Kubernetes API server", m.Name)
	}
	return v.GitVersion, nil
}

func (f *Facts) countNodes(ctx context.Context, m *Member) error {
	for next := ""; ; {
		page, err := m.Objects.Resource(nodes).List(ctx, metav1.ListOptions{Limit: nodePage, Continue: next, ResourceVersion: fromCache(next)})
		if err != nil {
			return err
		}
		for i := range page.Items {
			f.NodesTotal++
			if ready(&page.Items[i]) {
				f.NodesReady++
			}
		}
		if next = page.GetContinue(); next == "" {
			return nil
		}
	}
}

// fromCache lets the API server answer the first page from memory.
func fromCache(next string) string {
	if next == "" {
		return "0"
	}
	return ""
}

func ready(node *unstructured.Unstructured) bool {
	conditions, _, _ := unstructured.NestedSlice(node.Object, "status", "conditions") // none: not ready
	for _, c := range conditions {
		if c, ok := c.(map[string]any); ok && c["type"] == string(corev1.NodeReady) {
			return c["status"] == string(corev1.ConditionTrue)
		}
	}
	return false
}

// explain makes a sentence of what went wrong.
func explain(m *Member, doing string, err error) error {
	hint := map[string]string{
		AuthFailed:        "its API server does not accept the credentials in the Secret",
		Forbidden:         "its API server does not let us in",
		TLSFailed:         "the certificate of its API server is not trusted (caBundle)",
		Timeout:           "its API server did not answer in time",
		ConnectionRefused: "nothing listens at its API endpoint",
		NameNotResolved:   "the host name of its API endpoint is not known",
		Unavailable:       "its API server answers, and cannot work",
		Unreachable:       "its API server cannot be reached",
	}[Reason(err)]
	return fmt.Errorf("cluster %s: %s: %s: %w", m.Name, hint, doing, err)
}
