package apiserver

import (
	"errors"
	"fmt"
	"time"

	"github.com/accord-dev/accord/apiserver/certificate"
)

// certificates are those of one replica: of its server, and of its requests to the other replicas, whom trust verifies.
type certificates struct {
	host             string
	serving, replica *certificate.Leaf
	trust            *certificate.Trust
}

func newCertificates(host string) *certificates {
	return &certificates{host: host, serving: certificate.NewServing(host), replica: certificate.NewReplica(), trust: &certificate.Trust{}}
}

// renew renews the certificates that are old or of another authority.
func (c *certificates) renew(by *certificate.Authority, now time.Time) error {
	_, serving := c.serving.Renew(by, now)
	_, replica := c.replica.Renew(by, now)
	if err := errors.Join(serving, replica); err != nil {
		return fmt.Errorf("making the certificates of this replica: %w", err)
	}
	c.trust.Set(by)
	return nil
}
