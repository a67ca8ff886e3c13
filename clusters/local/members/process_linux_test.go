package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAnEndedProgramLeavesNoProcessBehind(t *testing.T) {
	for name, end := range map[string]func(*exec.Cmd, io.Closer) error{
		"stdin closed": func(_ *exec.Cmd, stdin io.Closer) error { return stdin.Close() },
		"terminated":   func(cmd *exec.Cmd, _ io.Closer) error { return cmd.Process.Signal(syscall.SIGTERM) },
		"killed":       func(cmd *exec.Cmd, _ io.Closer) error { return cmd.Process.Kill() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd, stdin, _ := program(t, "--dir", t.TempDir(), "--nodes", "1")
			kwoks := childrenOf(t, cmd.Process.Pid)
			require.Len(t, kwoks, 1)
			require.NoError(t, end(cmd, stdin))
			if err := cmd.Wait(); name != "killed" {
				require.NoError(t, err)
			}
			requireGone(t, kwoks)
		})
	}
}

// childrenOf are the ids of the processes that the process started, from any of its threads.
func childrenOf(t *testing.T, pid int) []int {
	t.Helper()
	threads, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	require.NoError(t, err)
	var ids []int
	for _, thread := range threads {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, thread.Name()))
		require.NoError(t, err)
		for _, f := range strings.Fields(string(b)) {
			id, err := strconv.Atoi(f)
			require.NoError(t, err)
			ids = append(ids, id)
		}
	}
	return ids
}

func requireGone(t *testing.T, pids []int) {
	t.Helper()
	for _, pid := range pids {
		require.Eventually(t, func() bool {
			stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
			return err != nil || strings.Contains(string(stat), ") Z ") // dead, with nobody to collect it
		}, time.Minute, 20*time.Millisecond, "process %d is still there", pid)
	}
}
