package clusters

import (
	"fmt"
	"net/http"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport"
)

// As returns a member whose requests the API server judges with the rights of user, an account of the cluster: it sends the header
// Impersonate-User. Requests for discovery keep accord's own account. The returned member shares connections, breaker and discovery
// with m, so it opens no connection, and must not be closed. An empty user is accord's own account.
func (m *Member) As(user string) (*Member, error) {
	if user == "" {
		return m, nil
	}
	rt := transport.NewImpersonatingRoundTripper(transport.ImpersonationConfig{UserName: user}, m.http.Transport)
	as := &Member{Name: m.Name, Kinds: m.Kinds, Breaker: m.Breaker, config: m.config, http: &http.Client{Transport: rt}, server: m.server}
	return as, as.setClients()
}

// setClients sets the clients of the member, which use m.http.
func (m *Member) setClients() (err error) {
	objects := dynamic.ConfigFor(m.config)
	objects.APIPath = "/" // every request sets an absolute path
	if m.client, err = rest.UnversionedRESTClientForConfigAndClient(objects, m.http); err != nil {
		return fmt.Errorf("cluster %s: %w", m.Name, err)
	}
	m.Objects = dynamic.New(m.client)
	if m.Metadata, err = metadata.NewForConfigAndClient(m.config, m.http); err != nil {
		return fmt.Errorf("cluster %s: %w", m.Name, err)
	}
	return nil
}
