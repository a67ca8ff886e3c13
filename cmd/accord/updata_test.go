package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDowngradeOfData: an older minor release refuses the data directory. A patch release back works.
func TestDowngradeOfData(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, refuseLaterData(dir, "v0.1.0"), "nobody used it")
	use := func(version string) {
		require.NoError(t, refuseLaterData(dir, version))
		require.NoError(t, recordVersion(dir, version))
	}
	for _, version := range []string{"v0.1.0", "v0.3.2", "v0.3.1", "v0.3.0-rc.1"} {
		use(version)
	}
	for _, older := range []string{"v0.2.9", "v0.1.0"} {
		require.ErrorContains(t, refuseLaterData(dir, older), "accord v0.3.0-rc.1 used "+dir+", and this is "+older)
	}
	use("v1.0.0")
	require.ErrorContains(t, refuseLaterData(dir, "v0.9.0"), "run v1.0.0, or restore the copy")
	use("(devel)") // a build without a release has no order
	require.NoError(t, refuseLaterData(dir, "v0.1.0"))
}
