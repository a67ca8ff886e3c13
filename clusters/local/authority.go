package local

// AuthorityFiles returns the paths of the certificate and the key of the authority whose client certificates the API server accepts.
// The certificate is renewed.
func (c *ControlPlane) AuthorityFiles() (certificate, key string) {
	return c.keys.file("ca.crt"), c.keys.file("ca.key")
}
