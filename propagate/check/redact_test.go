package check

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/internal/golden"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/dump"
)

func TestSecretText(t *testing.T) {
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
			what, sure := secretText(c.name, c.text)
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
		t.Run(c.state, func(t *testing.T) { require.Equal(t, c.want, redact(propagate.Finding{Message: c.message}).Message) })
	}
}

// TestSecretCaseKeepsSecrets reads the findings about testdata/secret_value.txtar.
func TestSecretCaseKeepsSecrets(t *testing.T) {
	in, err := dump.Read(golden.Read(t, "testdata/secret_value.txtar").Text())
	require.NoError(t, err)
	plan, err := propagate.New(in)
	require.NoError(t, err)
	found := Run(in, plan)
	require.NotEmpty(t, found)
	for _, f := range found {
		for _, secret := range []string{"hunter2", "s3cr3t", "0123456789abcdef", "RSA PRIVATE"} {
			require.NotContains(t, f.Message+f.Fix, secret)
		}
	}
}

// What is unmistakable comes before what only has a telling name, in whatever order a map is read.
func TestTheWorstOfSeveralSecrets(t *testing.T) {
	for range 20 {
		what, sure := secretIn("", map[string]any{"a-password": "hunter2", "url": "amqp://u:p4ss@mq", "b-token": "s3cr3t", "color": "red"})
		require.Equal(t, "a URL with a password", what)
		require.True(t, sure)
		what, sure = secretIn("", []any{map[string]any{"b-token": "s3cr3t", "a-password": "hunter2"}})
		require.Equal(t, `the value of "a-password"`, what)
		require.False(t, sure)
	}
}
