package main

import (
	"encoding/base64"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/accord-dev/accord/clusters/local"
)

// TestHostileScripts runs testdata/hostile: what is done to accord, and what it must not tell. Beside commands of
// TestScripts a script has:
//
//	said CMD...      runs a command, whatever its exit code, and appends to the file "said" all that it writes; the command
//	                 must write something, and say nothing that a panic says
//	untold FILE...   no file holds a line of the file "planted", neither as it is nor in base64
func TestHostileScripts(t *testing.T) {
	s := &stage{t: t, starts: map[string]func() (*local.ControlPlane, error){}}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/hostile",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("NS", namespaceOf(env.WorkDir))
			env.Setenv("KUBECONFIG", filepath.Join(env.WorkDir, "members.kubeconfig"))
			env.Setenv("HOME", env.WorkDir)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"hub": s.hub, "member": s.member, "put": put, "exits": exits, "commit": commit, "until": until,
			"said": transcribe, "untold": untold,
		},
	})
}

func transcribe(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec(args[0], args[1:]...)
	if exit := (&exec.ExitError{}); err != nil && (!errors.As(err, &exit) || exit.ExitCode() < 0) {
		ts.Fatalf("%v: %v", args, err)
	}
	out := ts.ReadFile("stdout") + ts.ReadFile("stderr")
	if strings.TrimSpace(out) == "" {
		ts.Fatalf("%v says nothing", args)
	}
	if strings.Contains(out, "goroutine ") {
		ts.Fatalf("%v panics", args)
	}
	file := ts.MkAbs("said")
	ts.Check(appendFile(file, strings.Join(args, " ")+"\n"+out+"\n"))
}

func untold(ts *testscript.TestScript, _ bool, files []string) {
	for _, file := range files {
		text := ts.ReadFile(file)
		if len(text) == 0 {
			ts.Fatalf("%s is empty", file)
		}
		for value := range strings.Lines(ts.ReadFile("planted")) {
			value = strings.TrimSpace(value)
			for _, form := range []string{value, base64.StdEncoding.EncodeToString([]byte(value))} {
				if before, _, found := strings.Cut(text, form); found {
					ts.Fatalf("%s holds %q, in or behind %q", file, value, before[max(0, len(before)-300):])
				}
			}
		}
	}
}

// appendFile adds text to a file, which it makes if it is not there.
func appendFile(name, text string) error {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
