package view

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/golden"
)

// TestChangesAreDocuments: with -o json each line is a document, and a change of nothing is none.
func TestChangesAreDocuments(t *testing.T) {
	var out bytes.Buffer
	v := NewWatcher(text.AsJSON, &out)
	status := watched(verdictRolling, ClusterStatus{Cluster: "eu-1", State: v1alpha1.Healthy, Current: true})
	for range 2 {
		require.NoError(t, v.show(status, time.Now()))
	}
	require.NoError(t, v.showError("connection refused", time.Now()))
	golden.File(t, "../testdata/golden/status-watch.json", out.String(), "go test ./cmd/accord/view -run ChangesAreDocuments -update")
}

func watched(verdict string, clusters ...ClusterStatus) Status {
	return Status{
		Federation: "prod", Release: "prod-4f2c9e1", Revision: "main@sha1:4f2c9e1a", Verdict: verdict,
		Summary: v1alpha1.Summary{Total: 2, Healthy: 1}, Clusters: clusters,
	}
}

// TestChangesAreLines: only changes are printed, and healthy clusters are not named at the beginning.
func TestChangesAreLines(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	fine := ClusterStatus{Cluster: "eu-1", State: v1alpha1.Healthy, Revision: "4f2c9e1a", Current: true, Objects: v1alpha1.Summary{Total: 4, Healthy: 4}}
	late := ClusterStatus{Cluster: "eu-2", State: v1alpha1.Progressing, Revision: "1b77d03a", Objects: v1alpha1.Summary{Total: 4, Healthy: 2}}
	done := fine
	done.Cluster = "eu-2"

	var out bytes.Buffer
	v := NewWatcher(text.AsText, &out)
	for _, step := range []struct {
		name string
		do   func() error
		want string
	}{
		{"the beginning", func() error { return v.show(watched(verdictRolling, fine, late), now) },
			"03:04:05  prod @ 4f2c9e1   ROLLING OUT  1/2 clusters healthy\n03:04:05  eu-2  Progressing  2/4 on 1b77d03\n"},
		{"nothing changed", func() error { return v.show(watched(verdictRolling, fine, late), now.Add(time.Hour)) }, ""},
		{"a cluster got there", func() error { return v.show(watched(verdictRolling, fine, done), now) },
			"03:04:05  eu-2  Healthy  4/4 on 4f2c9e1\n"},
		{"the hub is away", func() error { return v.showError("connection refused", now) }, "03:04:05  connection refused\n"},
		{"still away", func() error { return v.showError("connection refused", now) }, ""},
		{"it is back, and a cluster left", func() error { return v.show(watched(verdictReady, fine), now) },
			"03:04:05  prod @ 4f2c9e1   READY  1/2 clusters healthy\n03:04:05  eu-2  has nothing of it any more\n"},
	} {
		out.Reset()
		require.NoError(t, step.do(), step.name)
		require.Equal(t, step.want, out.String(), step.name)
	}
}

func TestScreenIsRedrawn(t *testing.T) {
	var out bytes.Buffer
	v := &screen{out: &out}
	for range 2 {
		require.NoError(t, v.show(watched(verdictReady), time.Now()))
	}
	require.Equal(t, 2, strings.Count(out.String(), "\x1b[H\x1b[J"+"prod @ 4f2c9e1"))
	require.NoError(t, v.showError("connection refused", time.Now()))
	require.Contains(t, out.String(), "connection refused")
}

func TestOnlyATerminalIsRedrawn(t *testing.T) {
	file, err := os.Create(t.TempDir() + "/log")
	require.NoError(t, err)
	defer file.Close()
	require.False(t, text.IsTerminal(file))
	require.IsType(t, &changeLog{}, NewWatcher(text.AsText, file))
	require.IsType(t, &jsonLog{}, NewWatcher(text.AsJSON, file))
}
