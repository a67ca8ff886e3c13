package kwok_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/clusters/local/kwok"
	"github.com/accord-dev/accord/clusters/local/localtest"
)

func TestStartRefuses(t *testing.T) {
	plane := localtest.Start(t, "member")
	broken := filepath.Join(t.TempDir(), "kwok")
	require.NoError(t, os.WriteFile(broken, []byte("#!/bin/sh\necho no such flag >&2\nexit 3\n"), 0o700))

	for name, c := range map[string]struct {
		kubeconfig string
		options    kwok.Options
		says       []string
	}{
		"no nodes asked for":     {plane.Kubeconfig(), kwok.Options{}, []string{"0 nodes asked for"}},
		"no kubeconfig":          {filepath.Join(t.TempDir(), "none"), kwok.Options{Nodes: 1, Program: broken}, []string{"connecting kwok: "}},
		"no program":             {plane.Kubeconfig(), kwok.Options{Nodes: 1, Program: broken + "-not"}, []string{"starting kwok: "}},
		"a program that gave up": {plane.Kubeconfig(), kwok.Options{Nodes: 1, Program: broken}, []string{"kwok ended by itself", "exit status 3", "no such flag"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := kwok.Start(t.Context(), c.kubeconfig, c.options)
			for _, want := range c.says {
				require.ErrorContains(t, err, want)
			}
		})
	}
}

func TestAStartThatIsCalledOffLeavesNothingRunning(t *testing.T) {
	plane := localtest.Start(t, "member")
	idle := filepath.Join(t.TempDir(), "kwok")
	pid := filepath.Join(t.TempDir(), "pid")
	require.NoError(t, os.WriteFile(idle, []byte("#!/bin/sh\necho $$ >"+pid+"\nexec sleep 600\n"), 0o700))

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var id int
	go func() { // calls off once the program runs
		defer cancel()
		for ctx.Err() == nil && id == 0 {
			time.Sleep(10 * time.Millisecond)
			b, _ := os.ReadFile(pid)
			id, _ = strconv.Atoi(strings.TrimSpace(string(b)))
		}
	}()
	_, err := kwok.Start(ctx, plane.Kubeconfig(), kwok.Options{Nodes: 1, Program: idle})
	require.ErrorIs(t, err, context.Canceled)
	<-ctx.Done()
	require.NotZero(t, id)
	p, err := os.FindProcess(id)
	require.NoError(t, err)
	require.ErrorIs(t, p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}
