package podspec_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/propagate/check/podspec"
)

func TestImage(t *testing.T) {
	for _, c := range []struct{ image, registry, repository string }{
		{"web", "", "web"},
		{"web:1", "", "web"},
		{"shop/web:1", "", "shop/web"},
		{"localhost/web", "localhost", "localhost/web"},
		{"registry:5000/web", "registry:5000", "registry:5000/web"},
		{"example.com/shop/web:1@sha256:abc", "example.com", "example.com/shop/web"},
	} {
		require.Equal(t, c.registry, podspec.Registry(c.image), c.image)
		require.Equal(t, c.repository, podspec.Repository(c.image), c.image)
	}
}
