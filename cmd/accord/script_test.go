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
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/clusters/local"
	"github.com/accord-dev/accord/clusters/local/subprocess"
	"github.com/accord-dev/accord/clusters/local/subprocess/child"
	"github.com/accord-dev/accord/cmd/accord/background"
	"github.com/accord-dev/accord/source/forge"
)

// TestMain makes this program the command "accord" of the scripts, and the API server that "accord up" runs.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"accord": main, subprocess.Program: child.Main})
}

// TestScripts runs testdata/script. Beside testscript's own commands a script has:
//
//	hub [own]        a real hub in $ACCORD_KUBECONFIG, whose default namespace is $NS: shared by the scripts, or its own
//	member NAME...   real control planes, shared by the scripts, contexts of $KUBECONFIG; the first is the current one
//	workloads NAME   reports the Deployments of a member as available, and makes it the context kind-NAME
//	install FILE KC  applies manifests to $KUBECONFIG's current cluster, which becomes the hub; KC: as accord's account
//	tokens           lets $KUBECONFIG's current cluster fill token Secrets, as one with a controller manager does
//	bundles TEXT     waits until the hub serves so many bundles: "1 bundle"
//	secrets TEXT     compares how many Secrets accord has there: "1 secret"
//	identity WANT    compares accord's identity there: the name of its account and binding, or "none"
//	unchanged NAME   requires that nobody has written ConfigMap default/NAME there since the first call
//	put FILE         writes the objects of FILE and their status to the hub; in it {{ago 5m}} is a time, {{WORK}} the directory
//	exits CODE CMD   runs a command that ends with this exit code
//	commit DIR TEXT  commits all of DIR and puts the commit into $SHA
//	forge            starts a GitHub with the repository team/prod, $FORGE/team/prod, and sets $GITHUB_TOKEN
//	until CMD        repeats a command until it succeeds
//	json FIELD [V]   reads a field of the JSON on stdout, "findings.0.code", and compares it with a regular expression
//	golden NAME      compares the JSON documents on stdout with testdata/golden/NAME.json (see golden_test.go)
//	sarif            checks that stdout is SARIF, with a listed rule and a place for every result
//	plain FILE       writes what the last command printed to FILE, with names in place of commits, digests and fingerprints
//	$DOCS            the directory of the documentation
//	admit FILE       asks $KUBECONFIG's current cluster whether it would accept the manifests (see admit_test.go)
func TestScripts(t *testing.T) {
	docs, err := filepath.Abs("../../docs")
	require.NoError(t, err)
	s := &stage{t: t, starts: map[string]func() (*local.ControlPlane, error){}}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "", // writes the files that cmp compares with
		Setup: func(env *testscript.Env) error {
			env.Setenv("NS", namespaceOf(env.WorkDir))
			env.Setenv("KUBECONFIG", filepath.Join(env.WorkDir, "members.kubeconfig"))
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("DOCS", docs)
			env.Defer(func() { // a script that fails leaves a hub in the background
				for _, dir := range []string{"data", ".accord"} {
					_, _ = background.Stop(context.WithoutCancel(t.Context()), filepath.Join(env.WorkDir, dir))
				}
			})
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"hub": s.hub, "member": s.member, "workloads": s.workloads, "install": s.install, "secrets": secrets, "bundles": servedBundles, "identity": identity, "unchanged": unchanged, "put": put, "exits": exits, "admit": admit,
			"commit": commit, "until": until, "json": jsonField, "golden": compareGolden, "sarif": sarif,
			"plain": plain, "forge": s.forge,
		},
	})
}

// namespaceOf returns the name of the script.
func namespaceOf(workDir string) string {
	return strings.TrimPrefix(filepath.Base(workDir), "script-")
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

// forge starts a GitHub whose pull requests nobody merges.
func (s *stage) forge(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Setenv("FORGE", newForgeHost(s.t, forge.GitHub).URL)
	ts.Setenv("GITHUB_TOKEN", forgeToken)
}

// put writes objects and their status to the script's hub.
func put(ts *testscript.TestScript, _ bool, args []string) {
	for _, file := range args {
		text := strings.ReplaceAll(ts.ReadFile(file), "{{WORK}}", ts.Getenv("WORK"))
		if err := putFile(context.Background(), ts.Getenv("ACCORD_KUBECONFIG"), text); err != nil {
			ts.Fatalf("%v", fmt.Errorf("%s: %w", file, err))
		}
	}
}
