package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// asProgram, when set, turns the test binary into the program.
const asProgram = "ACCORD_TEST_MEMBERS"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// line is any line the program prints.
type line struct {
	Name, Kubeconfig, Server string
	Ready                    bool
}

// program runs the program and returns its lines up to ready, and its stdin.
func program(t *testing.T, args ...string) (cmd *exec.Cmd, stdin io.Closer, lines []line) {
	t.Helper()
	cmd = exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	for s := bufio.NewScanner(out); s.Scan(); {
		var l line
		require.NoError(t, json.Unmarshal(s.Bytes(), &l), s.Text())
		lines = append(lines, l)
		if l.Ready {
			return cmd, in, lines
		}
	}
	t.Fatalf("the program ended before it was ready: %v", cmd.Wait())
	return nil, nil, nil
}

func client(t *testing.T, kubeconfig string) *kubernetes.Clientset {
	t.Helper()
	c, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	require.NoError(t, err)
	k, err := kubernetes.NewForConfig(c)
	require.NoError(t, err)
	return k
}

func TestMembersRunUntilStdinCloses(t *testing.T) {
	dir := t.TempDir()
	cmd, stdin, lines := program(t, "--dir", dir, "--names", "eu,us", "--controllers", "--nodes", "2")
	require.Len(t, lines, 3)
	servers := map[string]string{}
	for _, l := range lines[:2] {
		servers[l.Name] = l.Server
		require.Equal(t, filepath.Join(dir, l.Name, "kubeconfig"), l.Kubeconfig)
		nodes, err := client(t, l.Kubeconfig).CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		require.Len(t, nodes.Items, 2)
	}
	require.Len(t, servers, 2)

	require.NoError(t, stdin.Close())
	require.NoError(t, cmd.Wait())
	for _, server := range servers {
		_, err := net.Dial("tcp", strings.TrimPrefix(server, "https://"))
		require.Error(t, err, "%s is still served", server)
	}
}

func TestParse(t *testing.T) {
	for name, c := range map[string]struct {
		args  string
		names []string
		says  string
	}{
		"one by default":       {"--dir d", []string{"member-1"}, ""},
		"counted":              {"--dir d --count 2", []string{"member-1", "member-2"}, ""},
		"named":                {"--dir d --names eu,us", []string{"eu", "us"}, ""},
		"no directory":         {"--count 2", nil, "--dir is required without --attach"},
		"attached with data":   {"--attach k --dir d", nil, "--attach and --dir are mutually exclusive"},
		"no members":           {"--dir d --count 0", nil, "--count must be at least 1"},
		"a word too many":      {"--dir d eu", nil, `unexpected argument "eu"`},
		"a name left out":      {"--dir d --names eu,", nil, "--names eu, has an empty name"},
		"less than no node":    {"--dir d --nodes -1", nil, "--nodes not negative"},
		"a flag nobody has":    {"--dir d --speed 9", nil, "flag provided but not defined"},
		"a number that is not": {"--dir d --count x", nil, "invalid value"},
	} {
		t.Run(name, func(t *testing.T) {
			o, err := parse(strings.Fields(c.args), io.Discard)
			if c.says != "" {
				require.ErrorContains(t, err, c.says)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.names, o.names)
		})
	}
}

func TestAMemberThatCannotStartEndsAll(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "us"), nil, 0o600)) // a file where a directory has to be
	done := make(chan error, 1)
	go func() {
		done <- run(t.Context(), options{dir: dir, names: []string{"eu", "us"}}, io.Discard, io.Discard)
	}()
	select {
	case err := <-done:
		require.ErrorContains(t, err, "member us: ")
	case <-time.After(time.Minute):
		t.Fatal("still running")
	}
}
