package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/accord-dev/accord/cmd/accord/members"
	"github.com/accord-dev/accord/internal/golden"
)

const cliPage = "../../docs/reference/cli.md"

// TestReference compares docs/reference/cli.md with the commands; -update writes the page.
func TestReference(t *testing.T) {
	t.Setenv("HOME", "/home/you")
	var b strings.Builder
	b.WriteString("# Commands of accord\n\n<!-- Made by go test ./cmd/accord -run TestReference -update. -->\n\n| command | does |\n|---|---|\n")
	commands := documented(rootCommand())
	for _, c := range commands {
		fmt.Fprintf(&b, "| [%s](#%s) | %s |\n", c.CommandPath(), strings.ReplaceAll(c.CommandPath(), " ", "-"), c.Short)
	}
	for _, c := range commands {
		writeCommand(&b, c)
	}
	golden.File(t, cliPage, b.String(), "go test ./cmd/accord -run TestReference -update")
}

// documented returns the runnable commands below c in the order of the help.
func documented(c *cobra.Command) []*cobra.Command {
	var all []*cobra.Command
	for _, sub := range c.Commands() {
		if sub.Hidden || sub.Name() == "help" || sub.Name() == "completion" {
			continue
		}
		if sub.Runnable() {
			all = append(all, sub)
		}
		if _, kubectls := sub.Annotations[members.FromKubectl]; !kubectls {
			all = append(all, documented(sub)...)
		}
	}
	return all
}

func writeCommand(b *strings.Builder, c *cobra.Command) {
	fmt.Fprintf(b, "\n## %s\n\n", c.CommandPath())
	text := c.Long
	if text == "" {
		text = c.Short + "."
	}
	fmt.Fprintf(b, "```\n%s\n\n%s\n", c.UseLine(), strings.TrimSpace(text))
	if c.Example != "" {
		fmt.Fprintf(b, "\nExamples:\n%s\n", strings.TrimRight(c.Example, "\n"))
	}
	c.InitDefaultHelpFlag()
	if name, kubectls := c.Annotations[members.FromKubectl]; kubectls {
		own, names := ownFlags(c)
		fmt.Fprintf(b, "\nFlags:\n%s  and those of \"kubectl %s\": %s\n```\n", own.FlagUsages(), name, strings.Join(names, " "))
		return
	}
	fmt.Fprintf(b, "\nFlags:\n%s```\n", c.NonInheritedFlags().FlagUsages())
}

// ownFlags returns the flags that accord adds to a command of kubectl, and the names of the others.
func ownFlags(c *cobra.Command) (own *pflag.FlagSet, kubectls []string) {
	own = pflag.NewFlagSet("", pflag.ContinueOnError)
	collect := func(f *pflag.Flag) {
		if _, is := f.Annotations[members.FromKubectl]; is {
			kubectls = append(kubectls, "--"+f.Name)
		} else if f.Name != "help" {
			own.AddFlag(f)
		}
	}
	c.NonInheritedFlags().VisitAll(collect)
	for _, sub := range c.Commands() {
		sub.Flags().VisitAll(collect)
	}
	slices.Sort(kubectls)
	return own, slices.Compact(kubectls)
}
