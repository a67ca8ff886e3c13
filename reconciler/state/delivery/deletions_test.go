package delivery

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
)

// TestDefectR11AFailedDeletionIsAnError: no wanted object shows the error of an object that could not be deleted.
func TestDefectR11AFailedDeletionIsAnError(t *testing.T) {
	gone := manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: "gone"}
	l := &State{}
	require.Empty(t, l.PruneError())
	l.Errors = map[manifest.ID]string{gone: "pruning: forbidden"}
	require.Equal(t, gone.String()+": pruning: forbidden", l.PruneError())
}
