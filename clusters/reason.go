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

// Reasons of the condition Reachable of a Delivery, and of the events about a Cluster.
const (
	Connected         = "Connected"
	AuthFailed        = "AuthFailed"        // 401: the credentials are rejected
	Forbidden         = "Forbidden"         // 403: the credentials are valid, but not permitted to do this
	TLSFailed         = "TLSFailed"         // the certificate of the API server is not trusted
	Timeout           = "Timeout"           // no response in time
	ConnectionRefused = "ConnectionRefused" // no process listens there
	NameNotResolved   = "NameNotResolved"   // the host of spec.apiEndpoint does not resolve
	Unavailable       = "Unavailable"       // the API server responds that it is unavailable
	Unreachable       = "Unreachable"       // any other network error
	AnotherCluster    = "AnotherCluster"    // it answers, and is not the cluster of spec.id
	DuplicateCluster  = "DuplicateCluster"  // it answers, and another Cluster declares the same cluster
	// CredentialsRefused: the Cluster must not use the Secret that it names, and accord sends nothing.
	CredentialsRefused = "CredentialsRefused"
)

// Reason maps err to a condition's reason; nil maps to Connected.
func Reason(err error) string {
	if other, ok := errors.AsType[*IdentityError](err); ok {
		return other.Reason
	}
	if _, ok := errors.AsType[*CredentialsError](err); ok {
		return CredentialsRefused
	}
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

// Down reports whether err concerns the cluster and not the request: any other request would fail in the same way.
func Down(err error) bool {
	if apierrors.IsUnauthorized(err) {
		return true
	}
	_, sending := errors.AsType[*url.Error](err)
	return sending || !answered(err) && errors.Is(err, context.DeadlineExceeded)
}

// answered reports whether the API server itself returned err.
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
