package join

import (
	"context"
	"errors"
	"fmt"
	"os"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// candidate is a cluster that is about to join, with the rights of the person who joins it.
type candidate struct {
	kubernetes.Interface
	config *rest.Config
	// ca is the CA bundle of the API server; empty if the system's roots are used.
	ca []byte
	// proxy is the proxy of the kubeconfig; empty if there is none.
	proxy string
	// uid is the UID of namespace kube-system; empty if the user may not read it.
	uid string
}

// newCandidate returns an error for a kubeconfig that a Cluster cannot express.
func newCandidate(cfg *rest.Config, proxy string) (*candidate, error) {
	if cfg.ServerName != "" {
		return nil, errors.New("a Cluster has no field for tls-server-name of the kubeconfig: use an address for which the certificate is valid")
	}
	ca := cfg.CAData
	if len(ca) == 0 && cfg.CAFile != "" {
		var err error
		if ca, err = os.ReadFile(cfg.CAFile); err != nil {
			return nil, fmt.Errorf("reading the cluster's CA: %w", err)
		}
	}
	c, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return nil, fmt.Errorf("connecting to the cluster: %w", err)
	}
	return &candidate{Interface: c, config: cfg, ca: ca, proxy: proxy}, nil
}

// proxyURL returns the proxy of the context, and "" if there is none.
func proxyURL(loader clientcmd.ClientConfig, context string) (string, error) {
	raw, err := loader.RawConfig()
	if err != nil {
		return "", fmt.Errorf("reading the kubeconfig: %w", err)
	}
	if context == "" {
		context = raw.CurrentContext
	}
	if kubeContext, ok := raw.Contexts[context]; ok && raw.Clusters[kubeContext.Cluster] != nil {
		return raw.Clusters[kubeContext.Cluster].ProxyURL, nil
	}
	return "", nil
}

// clusterUID returns the UID of namespace kube-system, which does not depend on names; empty if the user may not read it.
func clusterUID(ctx context.Context, cfg *rest.Config) (string, error) {
	c, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return "", err
	}
	ns, err := c.CoreV1().Namespaces().Get(ctx, metav1.NamespaceSystem, metav1.GetOptions{})
	switch {
	case err == nil:
		return string(ns.UID), nil
	case apierrors.IsForbidden(err), apierrors.IsNotFound(err):
		return "", nil
	}
	return "", fmt.Errorf("%s: %w", cfg.Host, err)
}

// summary returns "v1.36.2, 3/3 nodes ready".
func (c *candidate) summary(ctx context.Context) string {
	version := "version not readable"
	if v, err := c.Discovery().ServerVersion(); err == nil {
		version = v.GitVersion
	}
	nodes, err := c.CoreV1().Nodes().List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		return version + ", nodes not readable"
	}
	ready := 0
	for _, n := range nodes.Items {
		for _, condition := range n.Status.Conditions {
			if condition.Type == corev1.NodeReady && condition.Status == corev1.ConditionTrue {
				ready++
			}
		}
	}
	return fmt.Sprintf("%s, %d/%d nodes ready", version, ready, len(nodes.Items))
}

// tryToken uses the token as the hub will, and returns its rights.
func (c *candidate) tryToken(ctx context.Context, t token) (string, error) {
	cfg := rest.AnonymousClientConfig(c.config)
	cfg.BearerToken = t.value
	as, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return "", fmt.Errorf("connecting with the new token: %w", err)
	}
	anything := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "*", Group: "*", Resource: "*"},
	}}
	answer, err := as.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, anything, metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("trying the new token: %w", err)
	}
	if answer.Status.Allowed {
		return "may apply every kind in every namespace", nil
	}
	return "limited: accord reports by name what it may not apply", nil
}
