package clusters

import (
	"errors"
	"fmt"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// fromKubeconfig reads the current context of a kubeconfig. The kubeconfig must be self-contained: exec plugins and
// references to files are rejected, because the author of the Secret does not own the machine that accord runs on.
func fromKubeconfig(text []byte) (target, error) {
	config, err := clientcmd.Load(text)
	if err != nil {
		return target{}, fmt.Errorf("the key %q cannot be read as a kubeconfig", KubeconfigKey) // err may quote the text
	}
	context, ok := config.Contexts[config.CurrentContext]
	if !ok {
		return target{}, fmt.Errorf("its kubeconfig has no context %q, which is its current-context", config.CurrentContext)
	}
	cluster := config.Clusters[context.Cluster]
	if err := checkSelfContained(config.AuthInfos[context.AuthInfo], cluster); err != nil {
		return target{}, fmt.Errorf("its kubeconfig, context %q: %w", config.CurrentContext, err)
	}
	if err := checkServer(cluster.Server); err != nil {
		return target{}, fmt.Errorf("its kubeconfig, context %q: %w", config.CurrentContext, err)
	}
	proxyURL := cluster.ProxyURL
	cluster.ProxyURL = "" // RESTConfig sets it
	cfg, err := clientcmd.NewDefaultClientConfig(*config, &clientcmd.ConfigOverrides{}).ClientConfig()
	if err != nil {
		return target{}, fmt.Errorf("its kubeconfig: %w", err)
	}
	return target{config: cfg, proxyURL: proxyURL}, nil
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

// SourceConfig returns the client configuration of a Secret that names a cluster to be read: with the key kubeconfig, or with server,
// token, caBundle and proxyURL. It is not bound to a Cluster of the hub. Errors never contain a token or a kubeconfig.
func SourceConfig(secret map[string][]byte) (*rest.Config, error) {
	t, err := readTarget(secret)
	if err != nil {
		return nil, err
	}
	t.config.QPS, t.config.UserAgent = -1, userAgent
	return t.config, setProxy(t.config, t.proxyURL, nil)
}
