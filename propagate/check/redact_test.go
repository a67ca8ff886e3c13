package check

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/internal/golden"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/check/confidential"
	"github.com/accord-dev/accord/propagate/dump"
)

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
		what, sure := confidential.DescribeValue("", map[string]any{"a-password": "hunter2", "url": "amqp://u:p4ss@mq", "b-token": "s3cr3t", "color": "red"})
		require.Equal(t, "a URL with a password", what)
		require.True(t, sure)
		what, sure = confidential.DescribeValue("", []any{map[string]any{"b-token": "s3cr3t", "a-password": "hunter2"}})
		require.Equal(t, `the value of "a-password"`, what)
		require.False(t, sure)
	}
}
