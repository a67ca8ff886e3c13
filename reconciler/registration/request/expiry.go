package request

import (
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
)

// Times after which a request is deleted, as kube-controller-manager has them.
const (
	decidedLife = time.Hour
	pendingLife = 24 * time.Hour
)

// Expiry returns the time at which a request is to be deleted. A request that is decided keeps its certificate long enough for the
// requester to read it.
func Expiry(r *certificatesv1.CertificateSigningRequest) time.Time {
	for _, c := range r.Status.Conditions {
		unissued := c.Type == certificatesv1.CertificateApproved && len(r.Status.Certificate) == 0
		if Final(c.Type) && !unissued {
			return c.LastUpdateTime.Add(decidedLife)
		}
	}
	return r.CreationTimestamp.Add(pendingLife)
}

// Final reports whether a condition of this type ends the decision about a request.
func Final(t certificatesv1.RequestConditionType) bool {
	return t == certificatesv1.CertificateApproved || t == certificatesv1.CertificateDenied || t == certificatesv1.CertificateFailed
}
