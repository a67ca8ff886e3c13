package clusters

import (
	"errors"
	"fmt"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// fromKubeconfig reads the current context of a kubeconfig. The kubeconfig must be self-contained: exec plugins and
// references to files are rejected, because the author of the Secret does not own the machine that accord runs on.
func fromKubeconfig(c *v1alpha1.Cluster, text []byte) (*rest.Config, error) {
	config, err := clientcmd.Load(text)
	if err != nil {
		return nil, fmt.Errorf("the key %q of its Secret cannot be read as a kubeconfig", KubeconfigKey) // err may quote the text
	}
	context, ok := config.Contexts[config.CurrentContext]
	if !ok {
		return nil, fmt.Errorf("the kubeconfig in its Secret has no context %q, which is its current-context", config.CurrentContext)
	}
	if err := checkSelfContained(config.AuthInfos[context.AuthInfo], config.Clusters[context.Cluster]); err != nil {
		return nil, fmt.Errorf("the kubeconfig in its Secret, context %q: %w", config.CurrentContext, err)
	}
	overrides := &clientcmd.ConfigOverrides{}
	if c.Spec.APIEndpoint != "" {
		if err := checkEndpoint(c.Spec.APIEndpoint); err != nil {
			return nil, err
		}
		overrides.ClusterInfo.Server = c.Spec.APIEndpoint
	}
	cfg, err := clientcmd.NewDefaultClientConfig(*config, overrides).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("the kubeconfig in its Secret: %w", err)
	}
	return cfg, nil
}

// checkSelfContained returns an error if the user or the cluster refers to a program or a file.
func checkSelfContained(user *api.AuthInfo, cluster *api.Cluster) error {
	switch {
	case user == nil:
		return errors.New("its user is not in the kubeconfig")
	case cluster == nil:
		return errors.New("its cluster is not in the kubeconfig")
	case user.Exec != nil:
		return errors.New("exec plugins are not run; use a token or a client certificate")
	case user.AuthProvider != nil:
		return errors.New("auth-provider is not supported; use a token or a client certificate")
	case user.TokenFile != "" || user.ClientCertificate != "" || user.ClientKey != "" || cluster.CertificateAuthority != "":
		return errors.New("it refers to files; put their contents into it (kubectl config view --raw --flatten)")
	}
	return nil
}
