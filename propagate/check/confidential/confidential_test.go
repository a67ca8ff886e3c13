package confidential_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/propagate/check/confidential"
)

func TestDescribe(t *testing.T) {
	for _, c := range []struct {
		state, name, text string
		what              string
		sure              bool
	}{
		{"a password by name", "DB_PASSWORD", "hunter2", `the value of "DB_PASSWORD"`, false},
		{"a key by name, in camel case", "apiKey", "0123", `the value of "apiKey"`, false},
		{"a private key", "", "-----BEGIN EC PRIVATE KEY-----\nMHc", "a private key", true},
		{"a URL with a password", "URL", "amqp://u:p4ss@mq", "a URL with a password", true},
		{"a GitHub token", "", "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345", "a GitHub token", true},
		{"a JSON Web Token", "", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlMTIz", "a JSON Web Token", true},
		{"a URL without a password", "URL", "https://user@example.com/", "", false},
		{"a URL with a port", "URL", "https://example.com:8443/a@b", "", false},
		{"a reference", "DB_PASSWORD", "${DB_PASSWORD}", "", false},
		{"a file", "TOKEN", "/var/run/token", "", false},
		{"stars", "PASSWORD", "******", "", false},
		{"a name of a Secret", "secretName", "web", "", false},
		{"a switch", "automountServiceAccountToken", "yes", "", false},
		{"a Secret by another field", "tlsSecret", "web-tls", "", false},
		{"a Secret that exists", "existingSecret", "db", "", false},
		{"a secret by name", "clientSecret", "a8f0c1", `the value of "clientSecret"`, false},
		{"an ordinary word", "color", "red", "", false},
	} {
		t.Run(c.state, func(t *testing.T) {
			what, sure := confidential.Describe(c.name, c.text)
			require.Equal(t, c.what, what)
			require.Equal(t, c.sure, sure)
		})
	}
}

func TestRedact(t *testing.T) {
	for _, c := range []struct{ state, message, want string }{
		{"nothing secret", `spec.operator is "set", expected add`, `spec.operator is "set", expected add`},
		{"an argument", `value is the string "--password=hunter2", expected a list`, `value is the string (redacted: looks like a secret), expected a list`},
		{"a quote in the quotes", `value is "a \"token: abc123\" b"`, `value is (redacted: looks like a secret)`},
		{"outside of quotes", `value is postgres://shop:hunter2@db`, `the message is redacted: its text looks like a URL with a password`},
	} {
		t.Run(c.state, func(t *testing.T) { require.Equal(t, c.want, confidential.Redact(c.message)) })
	}
}
