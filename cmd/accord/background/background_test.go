package background

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// hubDir, when set, turns the test binary into a hub with that data directory.
const hubDir = "ACCORD_TEST_HUB_DIR"

func TestMain(m *testing.M) {
	dir := os.Getenv(hubDir)
	if dir == "" {
		os.Exit(m.Run())
	}
	if err := fakeHub(dir, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "accord:", err)
		os.Exit(2)
	}
}

func fakeHub(dir string, args []string) error {
	if args[0] == "fail" {
		return fmt.Errorf("the store is damaged")
	}
	claim, err := Take(dir)
	if err != nil {
		return err
	}
	fmt.Println("accord is up")
	ctx, stop := signal.NotifyContext(context.Background(), stopSignal)
	defer stop()
	<-ctx.Done()
	return claim.Release()
}

func yes(context.Context) bool { return true }

func TestStartAndStop(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	t.Setenv(hubDir, dir)
	var out strings.Builder
	asked := 0
	require.NoError(t, Start(t.Context(), dir, []string{"up"}, func(context.Context) bool { asked++; return asked == 2 }, &out))
	t.Cleanup(func() { _, _ = Stop(context.Background(), dir) })
	require.Equal(t, "accord is up\n", out.String())
	text, err := os.ReadFile(filepath.Join(dir, pidFile))
	require.NoError(t, err)

	_, err = Take(dir)
	require.EqualError(t, err, "the data directory "+dir+" is in use by another hub: \"accord down --data-dir "+dir+"\" stops it")
	require.EqualError(t, Start(t.Context(), dir, []string{"up"}, yes, &out), err.Error())

	pid, err := Stop(t.Context(), dir)
	require.NoError(t, err)
	require.Equal(t, strings.TrimSpace(string(text)), strconv.Itoa(pid))
	pid, err = Stop(t.Context(), dir)
	require.NoError(t, err)
	require.Zero(t, pid)
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(dir, logFile), filepath.Join(dir, pidFile)}, left)
}

func TestAFailedStartShowsTheLog(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(hubDir, dir)
	require.NoError(t, os.WriteFile(filepath.Join(dir, logFile), []byte("an older error\n"), 0o600))
	require.EqualError(t, Start(t.Context(), dir, []string{"fail"}, yes, nil), "the hub did not start: exit status 2\naccord: the store is damaged")
}

// TestAnInterruptedStartLeavesNothing: who stops waiting has no process in the background.
func TestAnInterruptedStartLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(hubDir, dir)
	ctx, cancel := context.WithCancelCause(t.Context())
	never := func(context.Context) bool {
		cancel(context.DeadlineExceeded)
		return false
	}
	require.ErrorIs(t, Start(ctx, dir, []string{"up"}, never, nil), context.DeadlineExceeded)
	claim, err := Take(dir)
	require.NoError(t, err)
	require.NoError(t, claim.Release())
}

// TestALockedFileIsLookedAtTwice: a hub that begins has not written its number yet, one that ends has erased it, and somebody who looks at
// the file locks it, too.
func TestALockedFileIsLookedAtTwice(t *testing.T) {
	dir := t.TempDir()
	claim, err := Take(dir)
	require.NoError(t, err)
	require.NoError(t, claim.write(""))
	written := make(chan error, 1)
	time.AfterFunc(2*look, func() { written <- claim.write("4711\n") })
	pid, err := running(dir)
	require.NoError(t, err)
	require.Equal(t, 4711, pid)
	require.NoError(t, <-written)

	time.AfterFunc(look/2, func() { written <- claim.file.Close() }) // it crashed, and this was another process that looked
	pid, err = running(dir)
	require.NoError(t, err)
	require.Zero(t, pid)
	require.NoError(t, <-written)
}

// TestAnotherProcessIsNotStopped: after a crash, another process may have the number in the file. Here it is this test.
func TestAnotherProcessIsNotStopped(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, pidFile), fmt.Appendln(nil, os.Getpid()), 0o600))
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, stopSignal)
	defer signal.Stop(signals)
	pid, err := Stop(t.Context(), dir)
	require.NoError(t, err)
	require.Zero(t, pid)
	select {
	case <-signals:
		t.Fatal("a process that is no hub was signalled")
	case <-time.After(50 * time.Millisecond):
	}

	_, err = Stop(t.Context(), filepath.Join(dir, "elsewhere"))
	require.ErrorContains(t, err, "is no data directory of a hub")
}
