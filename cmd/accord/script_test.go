package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/accord-dev/accord/clusters/local"
)

// TestMain makes the scripts' "accord" this very program.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"accord": main})
}

// TestScripts runs testdata/script. Beside testscript's own commands a script has:
//
//	hub [own]        a real hub in $ACCORD_KUBECONFIG, whose default namespace is $NS: shared by the scripts, or its own
//	member NAME...   real control planes of their own, contexts of $KUBECONFIG; the first is the current one
//	put FILE         writes the objects of FILE and their status to the hub; {{ago 5m}} in it is a time
//	exits CODE CMD   runs a command that ends with this exit code
//	admit FILE       asks $KUBECONFIG's current cluster whether it would accept the manifests (see admit_test.go)
func TestScripts(t *testing.T) {
	s := &stage{t: t}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("NS", namespaceOf(env.WorkDir))
			env.Setenv("KUBECONFIG", filepath.Join(env.WorkDir, "members.kubeconfig"))
			env.Setenv("HOME", env.WorkDir)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"hub": s.hub, "member": s.member, "put": put, "exits": exits, "admit": admit,
		},
	})
}

// namespaceOf a script is its name.
func namespaceOf(workDir string) string {
	return strings.TrimPrefix(filepath.Base(workDir), "script-")
}

// stage is what the scripts play on.
type stage struct {
	t      *testing.T
	once   sync.Once
	shared *local.ControlPlane
	err    error
}

// hub puts up a hub for one script.
func (s *stage) hub(ts *testscript.TestScript, _ bool, args []string) {
	var plane *local.ControlPlane
	var err error
	if len(args) > 0 && args[0] == "own" {
		plane, err = startHub(s.t)
	} else {
		s.once.Do(func() { s.shared, s.err = startHub(s.t) })
		plane, err = s.shared, s.err
	}
	ts.Check(err)
	ns := ts.Getenv("NS")
	ts.Check(makeNamespace(s.t.Context(), plane.Config(), ns))

	cfg, err := clientcmd.LoadFromFile(plane.Kubeconfig())
	ts.Check(err)
	cfg.Contexts[cfg.CurrentContext].Namespace = ns
	path := ts.MkAbs("hub.kubeconfig")
	ts.Check(clientcmd.WriteToFile(*cfg, path))
	ts.Setenv("ACCORD_KUBECONFIG", path)
	ts.Setenv("HUB", plane.Config().Host)
}

// member starts control planes and makes them contexts of the script's kubeconfig.
func (s *stage) member(ts *testscript.TestScript, _ bool, names []string) {
	planes := make([]*local.ControlPlane, len(names))
	errs := make([]error, len(names))
	var starting sync.WaitGroup
	for i, name := range names {
		starting.Go(func() { planes[i], errs[i] = startPlane(s.t, name) })
	}
	starting.Wait()
	ts.Check(errors.Join(errs...))
	rules := &clientcmd.ClientConfigLoadingRules{}
	for _, p := range planes {
		rules.Precedence = append(rules.Precedence, p.Kubeconfig())
	}
	merged, err := rules.Load()
	ts.Check(err)
	ts.Check(clientcmd.WriteToFile(*merged, ts.Getenv("KUBECONFIG")))
}

// startHub starts a control plane with the kinds of accord.dev.
func startHub(t *testing.T) (*local.ControlPlane, error) {
	plane, err := startPlane(t, "hub")
	if err != nil {
		return nil, err
	}
	return plane, installKinds(t.Context(), plane.Config())
}

// startPlane starts a control plane that ends with the test.
func startPlane(t *testing.T, name string) (*local.ControlPlane, error) {
	dir, err := os.MkdirTemp(t.TempDir(), name)
	if err != nil {
		return nil, err
	}
	plane, err := local.Start(t.Context(), local.Options{Dir: dir, Name: name})
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { require.NoError(t, plane.Stop()) })
	return plane, nil
}

// exits runs a command and compares its exit code.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit := &exec.ExitError{}
		if !errors.As(err, &exit) {
			ts.Fatalf("running %s: %v", args[1], err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, expected %d", got, want)
	}
}

// put writes objects and their status to the script's hub.
func put(ts *testscript.TestScript, _ bool, args []string) {
	for _, file := range args {
		if err := putFile(context.Background(), ts.Getenv("ACCORD_KUBECONFIG"), ts.ReadFile(file)); err != nil {
			ts.Fatalf("%v", fmt.Errorf("%s: %w", file, err))
		}
	}
}
