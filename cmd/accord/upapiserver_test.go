package main

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/clusters/local/subprocess"
)

// TestDefectR5TheWayOut: an error of the start names the flag that helps.
func TestDefectR5TheWayOut(t *testing.T) {
	f := &upFlags{dataDir: "/data"}
	other := errors.New("no certificate")
	require.ErrorContains(t, f.wayOut(fmt.Errorf("starting: %w", &subprocess.Failure{Reason: subprocess.PortTaken, Message: "another process listens on the control plane's port 20123", Port: 20123})), "port 20123; stop that process, or select another port with --port")
	require.ErrorContains(t, f.wayOut(fmt.Errorf("starting: %w", &subprocess.Failure{Reason: subprocess.DamagedStore, Message: "the store is damaged: wal: no certificate"})), "damaged: wal: no certificate; restore /data from a backup, or start with a new store: \"accord up --rebuild\"")
	require.Equal(t, other, f.wayOut(other))
	unknown := &subprocess.Failure{Message: "the file system is full"}
	require.Equal(t, unknown, f.wayOut(unknown))
}
