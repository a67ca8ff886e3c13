package clusters

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/version"

	"github.com/accord-dev/accord/clusters/breaker"
	"github.com/accord-dev/accord/clusters/list"
)

// Facts are what a cluster says about itself.
type Facts struct {
	// Version of the API server, "v1.34.1".
	Version string
	// NodesTotal and NodesReady are 0 when we may not list nodes.
	NodesTotal, NodesReady int32
}

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
	answer, err := m.server.RESTClient().Get().AbsPath("/version").Do(breaker.WithProbe(ctx)).Raw()
	if stopped := breaker.RejectedBy(err); stopped != nil { // it was asked a moment ago, and that is still the answer
		err = stopped.Cause
	}
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
	var counted Facts
	err := list.Each(ctx, m.server.RESTClient(), nodesPath, "", func(n *nodeConditions) {
		counted.NodesTotal++
		if n.ready() {
			counted.NodesReady++
		}
	})
	if err == nil {
		f.NodesTotal, f.NodesReady = counted.NodesTotal, counted.NodesReady
	}
	return err
}

// nodeConditions is what is read of a node to count it.
type nodeConditions struct {
	Status struct {
		Conditions []struct {
			Type   corev1.NodeConditionType `json:"type"`
			Status corev1.ConditionStatus   `json:"status"`
		} `json:"conditions"`
	} `json:"status"`
}

// ready is false for a node that does not say.
func (n *nodeConditions) ready() bool {
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionTrue
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
	if doing != "" {
		hint += ": " + doing
	}
	return fmt.Errorf("cluster %s: %s: %w", m.Name, hint, err)
}

// Explain makes a sentence of what went wrong with a cluster as a whole.
func (m *Member) Explain(err error) error { return explain(m, "", err) }
