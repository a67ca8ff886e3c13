package main

import (
	"os"
	"regexp"

	"github.com/rogpeppe/go-internal/testscript"
)

// changing are the parts that differ in every run: commits have a time, and fingerprints a key of their own.
var changing = []struct {
	what *regexp.Regexp
	name string
}{
	{regexp.MustCompile(`sha256:[0-9a-f]{64}`), "sha256:DIGEST"},
	{regexp.MustCompile(`sha256:[0-9a-f]{12}\b`), "sha256:SHORT"},
	{regexp.MustCompile(`sha1:[0-9a-f]{40}`), "sha1:COMMIT"},
	{regexp.MustCompile(`\([0-9a-f]{7}\)`), "(COMMIT)"},
	{regexp.MustCompile(`hmac [0-9a-f]{8}`), "hmac FINGERPRINT"},
}

// plain writes the output of the last command to a file, so that cmp can compare it.
func plain(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile("stdout")
	for _, c := range changing {
		text = c.what.ReplaceAllString(text, c.name)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}
