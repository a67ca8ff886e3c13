package clusters

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/url"
	"syscall"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Reasons of the conditions Ready (of a Cluster) and Reachable (of a Delivery).
const (
	Connected         = "Connected"
	AuthFailed        = "AuthFailed"        // 401: the credentials are not accepted
	Forbidden         = "Forbidden"         // 403: they are, and may not do this
	TLSFailed         = "TLSFailed"         // the certificate of the API server is not trusted
	Timeout           = "Timeout"           // no answer in time
	ConnectionRefused = "ConnectionRefused" // nobody listens there
	NameNotResolved   = "NameNotResolved"   // the host of spec.apiEndpoint is not known
	Unavailable       = "Unavailable"       // the API server answers that it cannot work now
	Unreachable       = "Unreachable"       // anything else on the way there
)

// Reason is err in one word of the form of a condition's reason; Connected for nil.
func Reason(err error) string {
	switch {
	case err == nil:
		return Connected
	case apierrors.IsUnauthorized(err):
		return AuthFailed
	case apierrors.IsForbidden(err):
		return Forbidden
	case untrusted(err):
		return TLSFailed
	case errors.Is(err, syscall.ECONNREFUSED):
		return ConnectionRefused
	case unresolved(err):
		return NameNotResolved
	case timedOut(err):
		return Timeout
	case answered(err):
		return Unavailable
	}
	return Unreachable
}

// Down says that err is about the cluster and not about the request: another request would fail in the same way.
func Down(err error) bool {
	if apierrors.IsUnauthorized(err) {
		return true
	}
	_, sending := errors.AsType[*url.Error](err)
	return sending || !answered(err) && errors.Is(err, context.DeadlineExceeded)
}

// answered says that the API server itself said so.
func answered(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status)
}

func untrusted(err error) bool {
	_, verification := errors.AsType[*tls.CertificateVerificationError](err)
	_, authority := errors.AsType[x509.UnknownAuthorityError](err)
	_, name := errors.AsType[x509.HostnameError](err)
	_, invalid := errors.AsType[x509.CertificateInvalidError](err)
	_, record := errors.AsType[tls.RecordHeaderError](err)
	return verification || authority || name || invalid || record
}

func unresolved(err error) bool {
	dns, ok := errors.AsType[*net.DNSError](err)
	return ok && !dns.IsTimeout
}

func timedOut(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) || apierrors.IsTimeout(err) || apierrors.IsServerTimeout(err) {
		return true
	}
	network, ok := errors.AsType[net.Error](err)
	return ok && network.Timeout()
}
