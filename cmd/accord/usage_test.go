package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/cmd/accord/text"
)

// TestDefectF16UsageErrorsNameTheNearest also has the sentences of defect F18.
func TestDefectF16UsageErrorsNameTheNearest(t *testing.T) {
	pflag.CommandLine = pflag.NewFlagSet("accord", pflag.ContinueOnError) // as main does
	for line, want := range map[string]string{
		"statsu":                     `unknown command "accord statsu"; did you mean "status"?`,
		"statsu --watch":             `unknown command "accord statsu"; did you mean "status"?`,
		"rollout histroy":            `unknown command "accord rollout histroy"; did you mean "history"?`,
		"xyzzy":                      `unknown command "accord xyzzy"; "accord --help" lists the commands`,
		"--verison":                  "unknown flag --verison; did you mean \"--version\"?\n  usage: accord [flags]",
		"status --wach":              "unknown flag --wach; did you mean \"--watch\"?\n  usage: accord status [FEDERATION] [flags]",
		"status -o xml":              "invalid argument \"xml\" for \"-o, --output\" flag: expected one of text, json, yaml, svg, html\n  usage: accord status [FEDERATION] [flags]",
		"status -z":                  "unknown shorthand flag: 'z' in -z\n  usage: accord status [FEDERATION] [flags]",
		"status one two":             "unexpected argument \"two\"\n  usage: accord status [FEDERATION] [flags]",
		"version one":                "unexpected argument \"one\"\n  usage: accord version [flags]",
		"hold":                       "an argument is missing\n  usage: accord hold CLUSTER --reason TEXT [flags]",
		"plan --path x -f y":         "--federation and --path are mutually exclusive",
		"approve --on-hub --dry-run": "--dry-run and --on-hub are mutually exclusive",
	} {
		t.Run(line, func(t *testing.T) {
			stderr := &bytes.Buffer{}
			require.Equal(t, 2, execute(t.Context(), strings.Fields(line), strings.NewReader(""), &bytes.Buffer{}, stderr))
			require.Equal(t, "accord: "+want+"\n", stderr.String())
		})
	}
}

// TestHelpIsWrapped: no command has help that is wider than the terminal, except examples, which a break would spoil.
func TestHelpIsWrapped(t *testing.T) {
	pflag.CommandLine = pflag.NewFlagSet("accord", pflag.ContinueOnError)
	for _, width := range []int{100, 120, 160} {
		root := rootCommand()
		text.WrapHelp(root, width)
		longest := 0
		for _, c := range documented(root) {
			out := &bytes.Buffer{}
			c.SetOut(out)
			require.NoError(t, c.Help())
			before, _, _ := strings.Cut(out.String(), "\nUsage:\n")
			_, flags, _ := strings.Cut(out.String(), "\nFlags:\n")
			for line := range strings.SplitSeq(before, "\n") {
				longest = max(longest, len([]rune(line)))
			}
			for line := range strings.SplitSeq(flags, "\n") {
				if len(strings.Fields(line)) == 1 { // a long URL
					continue
				}
				require.LessOrEqual(t, len([]rune(line)), width, "%s --help: %s", c.CommandPath(), line)
			}
		}
		require.LessOrEqual(t, longest, width)
		require.Greater(t, longest, width-10, "the width is used")
	}
}
