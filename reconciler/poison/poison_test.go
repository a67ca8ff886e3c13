package poison

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
)

var prod = types.NamespacedName{Namespace: "demo", Name: "prod"}

// TestMain is the child process of dieWhilePlanning, where a directory is named.
func TestMain(m *testing.M) {
	if dir := os.Getenv("POISON_DIR"); dir != "" {
		if _, err := Open(dir).Begin(prod, os.Getenv("POISON_REVISION"), os.Getenv("POISON_RETRY")); err != nil {
			os.Exit(3)
		}
		os.Stdout.WriteString("planning\n")
		time.Sleep(time.Hour)
	}
	os.Exit(m.Run())
}

// dieWhilePlanning kills a child process while it plans a revision. It returns false if the child refuses the revision.
func dieWhilePlanning(t *testing.T, dir, revision, retry string) bool {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), "POISON_DIR="+dir, "POISON_REVISION="+revision, "POISON_RETRY="+retry)
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	line, _ := bufio.NewReader(out).ReadString('\n')
	if line != "planning\n" {
		require.Error(t, child.Wait())
		return false
	}
	require.NoError(t, child.Process.Kill())
	require.Error(t, child.Wait())
	return true
}

func TestHostileRevisionKillsTheProcess(t *testing.T) {
	dir := t.TempDir()
	require.True(t, dieWhilePlanning(t, dir, "main@sha1:a", ""))
	require.True(t, dieWhilePlanning(t, dir, "main@sha1:a", ""), "one death proves nothing")
	require.False(t, dieWhilePlanning(t, dir, "main@sha1:a", ""), "refused")

	marks := Open(dir)
	_, err := marks.Begin(prod, "main@sha1:a", "")
	_, refused := errors.AsType[*Error](err)
	require.True(t, refused)
	require.ErrorContains(t, err, "accord reconcile -n demo prod --retry-poisoned")
	other, err := marks.Begin(types.NamespacedName{Namespace: "demo", Name: "other"}, "main@sha1:a", "")
	require.NoError(t, err, "other Federations go on")
	other.End()

	require.True(t, dieWhilePlanning(t, dir, "main@sha1:a", "now"), "a person asked to try it again")
	require.True(t, dieWhilePlanning(t, dir, "main@sha1:a", "now"))
	require.False(t, dieWhilePlanning(t, dir, "main@sha1:a", "now"))

	next, err := marks.Begin(prod, "main@sha1:b", "now")
	require.NoError(t, err, "the next commit")
	next.End()
	again, err := marks.Begin(prod, "main@sha1:a", "now")
	require.NoError(t, err, "the mark of a revision that was planned is removed")
	again.End()
}

func TestSuspectIsPlannedAlone(t *testing.T) {
	dir := t.TempDir()
	require.True(t, dieWhilePlanning(t, dir, "main@sha1:a", ""))
	marks := Open(dir)
	suspect, err := marks.Begin(prod, "main@sha1:a", "")
	require.NoError(t, err)
	begun := make(chan *Attempt)
	go func() {
		a, _ := marks.Begin(types.NamespacedName{Namespace: "demo", Name: "other"}, "main@sha1:c", "")
		begun <- a
	}()
	select {
	case <-begun:
		require.Fail(t, "another revision is planned beside a suspect")
	case <-time.After(50 * time.Millisecond):
	}
	suspect.Planned()
	(<-begun).End()
	suspect.End()
}
