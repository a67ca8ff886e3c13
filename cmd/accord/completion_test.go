package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

func TestDefectF15WordsAreCompleted(t *testing.T) {
	pflag.CommandLine = pflag.NewFlagSet("accord", pflag.ContinueOnError) // as main does
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(kubeconfig, []byte(`apiVersion: v1
kind: Config
contexts: [{name: kind-eu-1, context: {}}, {name: kind-us-1, context: {}}]
`), 0o600))
	t.Setenv("KUBECONFIG", kubeconfig)
	t.Setenv("ACCORD_KUBECONFIG", "")
	for line, want := range map[string]string{
		"get ":                   "clusters federations releases deliveries objects tenants policies :4",
		"status -o ":             "text json yaml svg html :4",
		"status ":                ":4",
		"render -c ":             ":4",
		"join --context ":        "kind-eu-1 kind-us-1 :4",
		"join --member-context ": "kind-eu-1 kind-us-1 :4",
		"plan --source-context ": "kind-eu-1 kind-us-1 :4",
		"plan --fail-on ":        "changes error :4",
		"why ":                   ":4",
		"why deployment/web ":    ":0",
		"wait --for ":            "healthy applied :4",
		"lint --fail-on ":        "error warning note :4",
		"wait --timeout ":        ":4",
		"plan --dump ":           ":0",
		"plan ":                  ":0",
	} {
		t.Run(line, func(t *testing.T) {
			out := &bytes.Buffer{}
			args := append([]string{cobra.ShellCompNoDescRequestCmd}, strings.Split(line, " ")...)
			require.Equal(t, 0, execute(t.Context(), args, strings.NewReader(""), out, &bytes.Buffer{}))
			require.Equal(t, want, strings.Join(strings.Fields(out.String()), " "))
		})
	}
}

// TestDefectF28UsageOfThePlugin: kubectl runs kubectl-accord for "kubectl accord".
func TestDefectF28UsageOfThePlugin(t *testing.T) {
	was := os.Args[0]
	t.Cleanup(func() { os.Args[0] = was })
	os.Args[0] = "/usr/local/bin/kubectl-accord"
	pflag.CommandLine = pflag.NewFlagSet("accord", pflag.ContinueOnError)
	out := &bytes.Buffer{}
	require.Equal(t, 0, execute(t.Context(), []string{"status", "--help"}, strings.NewReader(""), out, &bytes.Buffer{}))
	require.Contains(t, out.String(), "kubectl accord status [FEDERATION] [flags]")
}
