// Package localtest gives tests real control planes: start one, use it, and the test's end stops it.
package localtest

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/clusters/local"
)

// Start runs a control plane of that name on a fresh directory. It is stopped when the test ends, after the
// cleanups registered later than it.
func Start(t testing.TB, name string) *local.ControlPlane {
	t.Helper()
	return Members(t, name)[name]
}

// Members runs one control plane per name, started in parallel, each with a directory of its own.
func Members(t testing.TB, names ...string) map[string]*local.ControlPlane {
	t.Helper()
	planes := make([]*local.ControlPlane, len(names))
	errs := make([]error, len(names))
	var starting sync.WaitGroup
	for i, name := range names {
		dir := t.TempDir()
		starting.Go(func() {
			planes[i], errs[i] = local.Start(t.Context(), local.Options{Dir: dir, Name: name})
		})
	}
	starting.Wait()
	t.Cleanup(func() { stopAll(t, planes) })

	members := make(map[string]*local.ControlPlane, len(names))
	for i, name := range names {
		require.NoError(t, errs[i])
		members[name] = planes[i]
	}
	return members
}

// stopAll stops in parallel what was started.
func stopAll(t testing.TB, planes []*local.ControlPlane) {
	var stopping sync.WaitGroup
	for _, p := range planes {
		if p == nil {
			continue
		}
		stopping.Go(func() {
			if err := p.Stop(); err != nil {
				t.Errorf("stopping a control plane: %v", err)
			}
		})
	}
	stopping.Wait()
}
