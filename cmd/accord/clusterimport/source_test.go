package clusterimport

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReasonsAreCountedWithoutNames(t *testing.T) {
	require.Equal(t, "made by ReplicaSet", general("made by ReplicaSet web-1"))
	require.Equal(t, "made by its Service", general("made by its Service"))
	require.Equal(t, "a finished Job", general("a finished Job"))
}
