// Package applicant is the side of a cluster that registers in pull mode: it verifies the hub by a token, and requests the certificate of
// the agent. "accord register" does so with the rights of a person, the agent itself with manifests from Git.
package applicant

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/accord-dev/accord/api/registration"
	"github.com/accord-dev/accord/clusters/bootstrap"
	"github.com/accord-dev/accord/reconciler/registration/request"
)

// requestTimeout bounds one request to the hub, poll is the time between two looks at the request for a certificate.
const (
	requestTimeout = 15 * time.Second
	poll           = time.Second
)

// Applicant is a cluster that registers on a hub.
type Applicant struct {
	// Hub is the address of the hub, https://HOST:PORT. Check adds the scheme.
	Hub string
	// Token is ID.SECRET of a bootstrap token.
	Token string
	// Pins are the hashes of the CA of the hub; SkipPins accepts any CA that the token signed.
	Pins     []string
	SkipPins bool
	// Cluster is the name under which the cluster registers, Traits describe the cluster.
	Cluster string
	Traits  request.Traits
	// Timeout bounds the wait for the certificate.
	Timeout time.Duration
	// Say gets a line about each step.
	Say func(format string, args ...any)
}

// Identity is the certificate of an agent with its key, as PEM.
type Identity struct{ Certificate, Key []byte }

// Check completes the address of the hub, and returns an error that names the setting which is wrong.
func (a *Applicant) Check() error {
	if !strings.Contains(a.Hub, "://") {
		a.Hub = "https://" + a.Hub
	}
	u, err := url.Parse(a.Hub)
	switch {
	case err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "":
		return fmt.Errorf("hub %q: expected https://HOST:PORT", a.Hub)
	case a.SkipPins && len(a.Pins) > 0:
		return errors.New("--discovery-token-ca-cert-hash and --discovery-token-unsafe-skip-ca-verification are mutually exclusive")
	case !a.SkipPins && len(a.Pins) == 0:
		return errors.New("--discovery-token-ca-cert-hash is required: \"accord token create --print-register-command\" on the hub prints it")
	}
	for _, pin := range a.Pins {
		if err := bootstrap.CheckPinForm(pin); err != nil {
			return err
		}
	}
	if a.Token != "" {
		if _, _, err := registration.SplitToken(a.Token); err != nil {
			return fmt.Errorf("the token: %w", err)
		}
	}
	return nil
}

// Kubeconfig returns the kubeconfig with which the agent reaches the hub.
func (a *Applicant) Kubeconfig(ca []byte, as Identity) ([]byte, error) {
	c := clientcmdapi.NewConfig()
	c.Clusters["hub"] = &clientcmdapi.Cluster{Server: a.Hub, CertificateAuthorityData: ca}
	c.AuthInfos[registration.AgentName] = &clientcmdapi.AuthInfo{ClientCertificateData: as.Certificate, ClientKeyData: as.Key}
	c.Contexts["hub"] = &clientcmdapi.Context{Cluster: "hub", AuthInfo: registration.AgentName}
	c.CurrentContext = "hub"
	text, err := clientcmd.Write(*c)
	if err != nil {
		return nil, fmt.Errorf("encoding the kubeconfig of the agent: %w", err)
	}
	return text, nil
}

// UnlessPassing returns nil for an error after which the next request can succeed.
func UnlessPassing(err error) error {
	if _, answered := errors.AsType[*apierrors.StatusError](err); !answered || apierrors.IsServerTimeout(err) || apierrors.IsTooManyRequests(err) || apierrors.IsInternalError(err) || apierrors.IsServiceUnavailable(err) {
		return nil
	}
	return err
}
