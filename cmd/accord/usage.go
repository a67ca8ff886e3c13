package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/accord-dev/accord/api/manifest"
)

// exclusiveFlags is the annotation of cobra on flags of which at most one may be set.
const exclusiveFlags = "cobra_annotation_mutually_exclusive"

// explainUsage replaces the usage errors of cobra, in c and all commands below it, by sentences with the nearest name and the
// usage line.
func explainUsage(c *cobra.Command) {
	c.SetFlagErrorFunc(flagError)
	c.PersistentPreRunE = func(c *cobra.Command, _ []string) error { return checkExclusive(c) }
	checkArguments(c)
}

func checkArguments(c *cobra.Command) {
	if accepts := c.Args; accepts != nil {
		c.Args = func(c *cobra.Command, args []string) error { return argumentError(c, args, accepts) }
	}
	for _, sub := range c.Commands() {
		checkArguments(sub)
	}
}

// argumentError returns the error about the first argument that the command does not accept, or about one that is missing.
func argumentError(c *cobra.Command, args []string, accepts cobra.PositionalArgs) error {
	if accepts(c, args) == nil {
		return nil
	}
	if c.HasSubCommands() {
		return unknownCommand(c, args[0])
	}
	for n := len(args) - 1; n >= 0; n-- {
		if accepts(c, args[:n]) == nil {
			return usageError(c, fmt.Sprintf("unexpected argument %q", args[n]))
		}
	}
	return usageError(c, "an argument is missing")
}

func usageError(c *cobra.Command, sentence string) error {
	return errors.New(sentence + "\n  usage: " + c.UseLine())
}

func unknownCommand(c *cobra.Command, name string) error {
	var known []string
	for _, sub := range c.Commands() {
		if !sub.Hidden {
			known = append(known, sub.Name())
		}
	}
	hint := manifest.DidYouMean(name, known)
	if hint == "" {
		hint = fmt.Sprintf("; %q lists the commands", c.CommandPath()+" --help")
	}
	return fmt.Errorf("unknown command %q%s", c.CommandPath()+" "+name, hint)
}

// flagError explains an error of a flag. A flag of an unknown command is parsed as one of its parent.
func flagError(c *cobra.Command, err error) error {
	if c.HasSubCommands() && c.Flags().NArg() > 0 {
		return unknownCommand(c, c.Flags().Arg(0))
	}
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok || unknown.GetSpecifiedShortnames() != "" {
		return usageError(c, err.Error())
	}
	var known []string
	c.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, "--"+f.Name) })
	name := "--" + unknown.GetSpecifiedName()
	return usageError(c, "unknown flag "+name+manifest.DidYouMean(name, known))
}

// checkExclusive returns an error if several flags are set of which one excludes the others.
func checkExclusive(c *cobra.Command) error {
	set := map[string][]string{}
	c.Flags().Visit(func(f *pflag.Flag) {
		for _, group := range f.Annotations[exclusiveFlags] {
			set[group] = append(set[group], "--"+f.Name)
		}
	})
	for _, group := range slices.Sorted(maps.Keys(set)) {
		if len(set[group]) > 1 {
			return errors.New(strings.Join(set[group], " and ") + " are mutually exclusive")
		}
	}
	return nil
}
