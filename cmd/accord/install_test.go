package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDefaultImage(t *testing.T) {
	require.Equal(t, "ghcr.io/accord-dev/accord:devel", defaultImage("(devel)"))
	require.Equal(t, "ghcr.io/accord-dev/accord:v0.1.0-dirty", defaultImage("v0.1.0+dirty"))
}
