package clusters

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/version"

	"github.com/accord-dev/accord/clusters/breaker"
	"github.com/accord-dev/accord/clusters/list"
	"github.com/accord-dev/accord/internal/egress"
	"github.com/accord-dev/accord/internal/phrase"
)

// Facts holds the answers of a cluster to a probe.
type Facts struct {
	// Version is the version of the API server, "v1.34.1".
	Version string
	// NodesTotal and NodesReady are 0 if accord may not list nodes.
	NodesTotal, NodesReady int32
}

// Probe reports whether a member is ready and answers within the deadline of ctx, and reads its Facts. Errors are sentences for
// users, and Reason maps them to a condition's reason. Forbidden to list nodes is not an error; any other refusal and
// rejected credentials are.
func Probe(ctx context.Context, m *Member) (Facts, error) {
	var facts Facts
	err := Ping(ctx, m)
	if err != nil {
		return facts, err
	}
	if facts.Version, err = readVersion(ctx, m); err != nil {
		return facts, err
	}
	if err := facts.countNodes(ctx, m); err != nil && !apierrors.IsForbidden(err) {
		return facts, explain(m, "listing its nodes", err)
	}
	return facts, nil
}

// Ping reports whether a member answers, accepts the credentials and is ready (Karmada 5.2). It requests /readyz, or /healthz from an
// API server without /readyz; where the credentials may read neither, the version has to suffice. Any answer but success of
// /readyz is an error.
func Ping(ctx context.Context, m *Member) error {
	for _, path := range []string{"/readyz", "/healthz"} {
		_, err := ask(ctx, m, path)
		switch {
		case err == nil:
			return nil
		case apierrors.IsNotFound(err), apierrors.IsForbidden(err):
			continue
		}
		return explain(m, "asking whether it is ready", shortened(err))
	}
	_, err := readVersion(ctx, m)
	return err
}

// ask sends one probing request.
func ask(ctx context.Context, m *Member, path string) ([]byte, error) {
	answer, err := m.server.RESTClient().Get().AbsPath(path).Do(egress.WithLimit(breaker.WithProbe(ctx), egress.Version)).Raw()
	if stopped := breaker.RejectedBy(err); stopped != nil { // the rejection repeats the answer of a moment ago
		err = stopped.Cause
	}
	return answer, err
}

// shortened returns the error of an API server that is not ready with the checks that failed, instead of its list of all checks.
func shortened(err error) error {
	var failed []string
	for line := range strings.Lines(err.Error()) {
		if _, check, found := strings.Cut(line, "[-]"); found {
			name, _, _ := strings.Cut(check, " ")
			failed = append(failed, phrase.Line(strings.TrimSpace(name)))
		}
	}
	if len(failed) == 0 {
		return err
	}
	return apierrors.NewServiceUnavailable("failed checks: " + strings.Join(failed, ", "))
}

// readVersion reads the version of a member, "v1.34.1".
func readVersion(ctx context.Context, m *Member) (string, error) {
	answer, err := ask(ctx, m, "/version")
	if err != nil {
		return "", explain(m, "reading its version", err)
	}
	var v version.Info
	if err := json.Unmarshal(answer, &v); err != nil || v.GitVersion == "" {
		return "", fmt.Errorf("cluster %s: its API endpoint is not a Kubernetes API server", m.Name)
	}
	return phrase.Line(v.GitVersion), nil
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

// nodeConditions holds the fields of a node that Probe counts.
type nodeConditions struct {
	Status struct {
		Conditions []struct {
			Type   corev1.NodeConditionType `json:"type"`
			Status corev1.ConditionStatus   `json:"status"`
		} `json:"conditions"`
	} `json:"status"`
}

// ready reports whether the node is Ready; a node without the condition is not.
func (n *nodeConditions) ready() bool {
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

// explain wraps err in a sentence that names the member and the likely cause.
func explain(m *Member, doing string, err error) error {
	hint := map[string]string{
		AuthFailed:        "its API server does not accept the credentials in the Secret",
		Forbidden:         "its API server denies access",
		TLSFailed:         "the certificate of its API server is not trusted (caBundle)",
		Timeout:           "its API server did not answer in time",
		ConnectionRefused: "nothing listens at its API endpoint",
		NameNotResolved:   "the host name of its API endpoint does not resolve",
		Unavailable:       "its API server responds that it is unavailable",
		Unreachable:       "its API server cannot be reached",
	}[Reason(err)]
	if doing != "" {
		hint += ": " + doing
	}
	return fmt.Errorf("cluster %s: %s: %w", m.Name, hint, err)
}

// Explain wraps an error that concerns the whole cluster in a sentence.
func (m *Member) Explain(err error) error { return explain(m, "", err) }
