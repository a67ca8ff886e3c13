package egress

import "crypto/x509"

// Roots returns the certificates of the system and those of a bundle in PEM. Without a bundle it returns nil, which stands for those of the
// system. It returns false for a bundle without a certificate.
func Roots(bundle []byte) (*x509.CertPool, bool) {
	if len(bundle) == 0 {
		return nil, true
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool() // no system certificates: use only those of the bundle
	}
	return roots, roots.AppendCertsFromPEM(bundle)
}
