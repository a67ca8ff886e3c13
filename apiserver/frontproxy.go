package apiserver

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/authentication/authenticatorfactory"
	"k8s.io/apiserver/pkg/authentication/request/headerrequest"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/apiserver/pkg/authorization/union"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	"k8s.io/apiserver/pkg/server/options"
	"k8s.io/client-go/kubernetes"
	restclient "k8s.io/client-go/rest"
)

const (
	// authenticationConfigMap is the ConfigMap in kube-system in which the hub's API server publishes its front-proxy authority.
	authenticationConfigMap = "extension-apiserver-authentication"
	// authorizationCache is the time for which the answer of a SubjectAccessReview is used. The hub's API server authorizes each request
	// before it forwards the request, so that a right that is withdrawn ends at once all the same.
	authorizationCache = 5 * time.Minute
	// frontProxyPoll is the interval at which ready looks for the authority of the front proxy.
	frontProxyPoll = 50 * time.Millisecond
)

// frontProxy authenticates and authorizes requests. Only the hub's API server may connect: it proves itself by a certificate of the
// front-proxy authority, and names the user whom it has authenticated. Tokens and certificates of users count for nothing here.
type frontProxy struct {
	hub       *kubernetes.Clientset
	authority *dynamiccertificates.ConfigMapCAController
	headers   *headerrequest.RequestHeaderAuthRequestController
}

func newFrontProxy(cfg *restclient.Config) (*frontProxy, error) {
	hub, err := newClient(cfg)
	if err != nil {
		return nil, fmt.Errorf("hub %s: %w", cfg.Host, err)
	}
	authority, err := dynamiccertificates.NewDynamicCAFromConfigMapController("requestheader", metav1.NamespaceSystem, authenticationConfigMap, "requestheader-client-ca-file", hub)
	if err != nil {
		return nil, err
	}
	headers := headerrequest.NewRequestHeaderAuthRequestController(authenticationConfigMap, metav1.NamespaceSystem, hub,
		"requestheader-username-headers", "requestheader-uid-headers", "requestheader-group-headers", "requestheader-extra-headers-prefix", "requestheader-allowed-names")
	return &frontProxy{hub, authority, headers}, nil
}

// applyTo configures authentication and authorization of a server.
func (f *frontProxy) applyTo(c *genericapiserver.Config) error {
	c.Authentication.RequestHeaderConfig = &authenticatorfactory.RequestHeaderConfig{
		CAContentProvider:   f.authority,
		UsernameHeaders:     headerrequest.StringSliceProviderFunc(f.headers.UsernameHeaders),
		UIDHeaders:          headerrequest.StringSliceProviderFunc(f.headers.UIDHeaders),
		GroupHeaders:        headerrequest.StringSliceProviderFunc(f.headers.GroupHeaders),
		ExtraHeaderPrefixes: headerrequest.StringSliceProviderFunc(f.headers.ExtraHeaderPrefixes),
		AllowedClientNames:  headerrequest.StringSliceProviderFunc(f.headers.AllowedClientNames),
	}
	if err := c.Authentication.ApplyClientCert(f.authority, c.SecureServing); err != nil {
		return err
	}
	var err error
	authentication := authenticatorfactory.DelegatingAuthenticatorConfig{RequestHeaderConfig: c.Authentication.RequestHeaderConfig}
	if c.Authentication.Authenticator, _, err = authentication.New(); err != nil {
		return err
	}
	delegated, err := authorizerfactory.DelegatingAuthorizerConfig{
		SubjectAccessReviewClient: f.hub.AuthorizationV1(), AllowCacheTTL: authorizationCache, DenyCacheTTL: 10 * time.Second,
		WebhookRetryBackoff: options.DefaultAuthWebhookRetryBackoff(),
	}.New()
	if err != nil {
		return err
	}
	c.Authorization.Authorizer = union.New(authorizerfactory.NewPrivilegedGroups(user.SystemPrivilegedGroup), authorizer.AuthorizerFunc(ofAgents), delegated)
	return nil
}

// run keeps the headers current until the context ends; the server does so with the authority.
func (f *frontProxy) run(ctx context.Context) { f.headers.Run(ctx, 1) }

// ready returns when requests of the hub's API server can be authenticated, or the context ends.
func (f *frontProxy) ready(ctx context.Context) error {
	for len(f.authority.CurrentCABundleContent()) == 0 || len(f.headers.UsernameHeaders()) == 0 {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(frontProxyPoll):
		}
	}
	return nil
}
