// Package members has the commands of kubectl, for the hub and for the API servers of members that the hub leads to. They are kubectl's own
// packages; accord decides which server a command talks to, and makes one answer of several.
package members

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"

	"github.com/accord-dev/accord/cmd/accord/hub"
)

// FromKubectl is the annotation of flags and commands whose description is that of kubectl.
const FromKubectl = "kubectl"

// Tables prints the tables of accord's own kinds.
type Tables struct {
	// Kinds are the words that complete the kind.
	Kinds []string
	// Takes reports whether a word, or several separated by commas, are kinds of accord.
	Takes func(kinds string) bool
	// Qualified returns such words with the groups of the kinds.
	Qualified func(kinds string) string
	Print     func(ctx context.Context, out io.Writer, h *hub.Flags, kinds, name, output string) error
}

// Commands returns the commands of kubectl, by their names.
func Commands(tables Tables) map[string]*cobra.Command {
	cmdutil.BehaviorOnFatal(func(message string, code int) { panic(fatal{message, code}) })
	all := map[string]*cobra.Command{}
	for _, v := range verbs() {
		all[v.name] = command(v, tables)
	}
	return all
}

// command returns a command of kubectl with accord's help, and with flags that select its servers.
func command(v verb, tables Tables) *cobra.Command {
	t := &target{}
	root := v.build(cmdutil.NewFactory(cmdutil.NewMatchVersionFlags(lazyGetter(t.completing))), genericiooptions.NewTestIOStreamsDiscard())
	root.Use, root.Short, root.Long, root.Example = v.use, v.short, v.short+".\n\n"+v.long, v.example
	root.Annotations, root.Aliases, root.SuggestFor, root.DisableFlagsInUseLine = map[string]string{FromKubectl: v.name}, nil, nil, false
	var given []string // the flags as words of a command line
	wrap(root, root, func(c *cobra.Command, path, args []string) error {
		call := &call{verb: v, target: t, own: tables, cmd: c, args: args, argv: commandLine(c, path, given, args)}
		return call.do()
	}, &given)
	t.register(root, v)
	t.complete(root, v, tables)
	return root
}

// wrap replaces the action of a command and of those below it. The action gets the path below the root.
func wrap(c, root *cobra.Command, run func(*cobra.Command, []string, []string) error, given *[]string, path ...string) {
	path = append(slices.Clone(path), c.Name())
	c.Flags().VisitAll(func(f *pflag.Flag) {
		f.Value = &recordedFlag{f.Value, f.Name, given}
		if f.Annotations == nil {
			f.Annotations = map[string][]string{}
		}
		f.Annotations[FromKubectl] = nil
	})
	if c != root {
		c.Long, c.Example = asAccord(c.Long), asAccord(c.Example)
		c.DisableFlagsInUseLine = false
	}
	switch {
	case c.Name() == "top": // it only prints its help
		c.Args, c.Run, c.RunE = cobra.NoArgs, nil, func(c *cobra.Command, _ []string) error { return c.Help() }
	case c.Runnable():
		c.Run, c.RunE = nil, func(c *cobra.Command, args []string) error { return run(c, path, args) }
	}
	for _, sub := range c.Commands() {
		wrap(sub, root, run, given, path...)
	}
}

// asAccord replaces the name of kubectl in its texts.
func asAccord(text string) string { return strings.ReplaceAll(text, "kubectl ", program+" ") }

// recordedFlag records the values that a flag is set to.
type recordedFlag struct {
	pflag.Value
	name  string
	given *[]string
}

// Set implements pflag.Value.
func (r *recordedFlag) Set(value string) error {
	*r.given = append(*r.given, "--"+r.name+"="+value)
	return r.Value.Set(value)
}

// commandLine returns the words that run the command again: kubectl's commands keep the state of a run.
func commandLine(c *cobra.Command, path, given, args []string) []string {
	words := slices.Concat(path, given)
	dash := c.ArgsLenAtDash()
	if dash < 0 {
		return append(words, args...)
	}
	return slices.Concat(words, args[:dash], []string{"--"}, args[dash:])
}
