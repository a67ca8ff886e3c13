package local

import (
	"fmt"
	"os"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// access holds the address and the credentials with which the administrator reaches a control plane.
type access struct {
	name   string // of the control plane
	server string // https://127.0.0.1:port
	path   string // of the kubeconfig file
	tls    rest.TLSClientConfig
}

// newAccess reads the certificate of the authority.
func newAccess(name, server, path string, keys pki) (access, error) {
	a := access{name: name, server: server, path: path}
	var err error
	if a.tls.CAData, err = os.ReadFile(keys.file("ca.crt")); err != nil {
		return a, fmt.Errorf("reading the authority's certificate: %w", err)
	}
	a.tls.CertFile, a.tls.KeyFile = keys.file("admin.crt"), keys.file("admin.key")
	return a, nil
}

// config returns a new configuration, with which client-go reads a renewed certificate from its file; QPS -1 turns
// client-go's rate limiter off.
func (a access) config() *rest.Config {
	return &rest.Config{Host: a.server, TLSClientConfig: *a.tls.DeepCopy(), QPS: -1}
}

// writeKubeconfig puts the same into a file, in which cluster and context carry the control plane's name.
// The file appears whole or not at all.
func (a access) writeKubeconfig() error {
	certificate, err := os.ReadFile(a.tls.CertFile)
	if err != nil {
		return fmt.Errorf("reading the administrator's certificate: %w", err)
	}
	key, err := os.ReadFile(a.tls.KeyFile)
	if err != nil {
		return fmt.Errorf("reading the administrator's key: %w", err)
	}
	c := clientcmdapi.NewConfig()
	admin := a.name + "-admin"
	c.Clusters[a.name] = &clientcmdapi.Cluster{Server: a.server, CertificateAuthorityData: a.tls.CAData}
	c.AuthInfos[admin] = &clientcmdapi.AuthInfo{ClientCertificateData: certificate, ClientKeyData: key}
	c.Contexts[a.name] = &clientcmdapi.Context{Cluster: a.name, AuthInfo: admin}
	c.CurrentContext = a.name
	b, err := clientcmd.Write(*c)
	if err != nil {
		return fmt.Errorf("encoding the kubeconfig: %w", err)
	}
	if err := writeFile(a.path+".new", b); err != nil {
		return fmt.Errorf("writing the kubeconfig: %w", err)
	}
	if err := os.Rename(a.path+".new", a.path); err != nil {
		return fmt.Errorf("putting the kubeconfig in place: %w", err)
	}
	return nil
}
