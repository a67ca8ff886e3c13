package complete

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Candidates returns the words that complete an argument or a flag of a command.
type Candidates func(*cobra.Command) []string

// OneOf returns candidates that are always the same.
func OneOf(all ...string) Candidates { return func(*cobra.Command) []string { return all } }

// Words has the candidates of all commands.
type Words struct {
	// Flags has the candidates of flags, in every command that has the flag. A flag that knows its choices needs none.
	Flags map[string]Candidates
	// Files are the flags that take a file or a directory.
	Files []string
	// Arguments has the candidates of the arguments of a command, by its words after the name of the program.
	Arguments map[string][]Candidates
	// Directories are the commands with an argument DIR, after those in Arguments.
	Directories []string
}

// Complete sets the completion of the arguments and flags of c and all commands below it.
func (w Words) Complete(c *cobra.Command) {
	if c.ValidArgsFunction == nil && !c.HasSubCommands() {
		c.ValidArgsFunction = w.argument
	}
	for _, flags := range []*pflag.FlagSet{c.Flags(), c.PersistentFlags()} {
		flags.VisitAll(func(f *pflag.Flag) { w.flag(c, f) })
	}
	for _, sub := range c.Commands() {
		w.Complete(sub)
	}
}

// argument returns the candidates of the next argument. Shells complete a directory themselves.
func (w Words) argument(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	list := w.Arguments[strings.TrimPrefix(c.CommandPath(), c.Root().CommandPath()+" ")]
	switch {
	case len(args) < len(list):
		return list[len(args)](c), cobra.ShellCompDirectiveNoFileComp
	case slices.Contains(w.Directories, c.Name()):
		return nil, cobra.ShellCompDirectiveDefault
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

func (w Words) flag(c *cobra.Command, f *pflag.Flag) {
	if _, done := c.GetFlagCompletionFunc(f.Name); done { // a flag that all commands share
		return
	}
	list := w.Flags[f.Name]
	if choice, ok := f.Value.(interface{ Choices() []string }); ok {
		list = OneOf(choice.Choices()...)
	}
	if list == nil && slices.Contains(w.Files, f.Name) {
		return
	}
	directive := cobra.ShellCompDirectiveNoFileComp
	if f.Name == "federation" { // a manifest, too
		directive = cobra.ShellCompDirectiveDefault
	}
	// The error is about a flag without a name or with two functions: a mistake in the source that every test sees.
	err := c.RegisterFlagCompletionFunc(f.Name, func(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		if list == nil {
			return nil, directive
		}
		return list(c), directive
	})
	if err != nil {
		panic(err)
	}
}
