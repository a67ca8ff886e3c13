package main

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/accord-dev/accord/cmd/accord/complete"
	"github.com/accord-dev/accord/cmd/accord/interpret"
	"github.com/accord-dev/accord/cmd/accord/schema"
)

// candidates returns the words that complete an argument or a flag.
type candidates func(*cobra.Command) []string

func oneOf(all ...string) candidates { return func(*cobra.Command) []string { return all } }

func onHub(list complete.Names) candidates {
	return func(c *cobra.Command) []string { return complete.FromHub(c, list) }
}

func revisions(*cobra.Command) []string { return complete.Revisions() }

// flagCandidates are the candidates of flags, in every command that has the flag.
var flagCandidates = map[string]candidates{
	"base": revisions, "head": revisions, "revision": revisions, "branch": revisions, "tag": revisions,
	"cluster": onHub(complete.Clusters), "clusters": onHub(complete.Clusters), "fail": onHub(complete.Clusters), "unreachable": onHub(complete.Clusters),
	"federation": onHub(complete.Federations), "namespace": onHub(complete.Namespaces),
	"rollout": onHub(complete.Rollouts), "stage": onHub(complete.Stages),
	"context":        func(c *cobra.Command) []string { return complete.Contexts(c.Flag("kubeconfig").Value.String()) },
	"member-context": func(c *cobra.Command) []string { return complete.Contexts(c.Flag("member-kubeconfig").Value.String()) },
	"for":            oneOf("healthy", "applied"), "log-format": oneOf("text", "json"), "forge": oneOf("github", "gitlab", "gitea"),
	"operation": oneOf(interpret.OperationNames()...), "kind": oneOf("RolloutPolicy", "PropagationPolicy", "ClusterPropagationPolicy", "Federation"),
}

// fileFlags are the flags that take a file or a directory.
var fileFlags = []string{
	"all", "cache-dir", "data-dir", "desired", "dir", "dump", "filename", "fleet-file", "items", "kubeconfig", "kustomize", "member-kubeconfig", "observed", "path",
	"repo", "scenario", "secrets-from",
}

// argumentCandidates are the candidates of the arguments of a command. Arguments of other commands are directories, or new names.
var argumentCandidates = map[string][]candidates{
	"status": {onHub(complete.Federations)}, "wait": {onHub(complete.Federations)}, "history": {onHub(complete.Federations)},
	"reconcile": {onHub(complete.Federations)},
	"approve":   {onHub(complete.Rollouts)}, "abort": {onHub(complete.Rollouts)}, "rollback": {onHub(complete.Rollouts)},
	"suspend": {onHub(complete.Rollouts)}, "resume": {onHub(complete.Rollouts)},
	"schema": {oneOf(schema.Names()...)}, "hold": {onHub(complete.Clusters)}, "unhold": {onHub(complete.Clusters)}, "taint": {onHub(complete.Clusters)},
	"cordon": {onHub(complete.Clusters)}, "uncordon": {onHub(complete.Clusters)}, "leave": {onHub(complete.Clusters)}, "unjoin": {onHub(complete.Clusters)},
	"drain": {onHub(complete.Clusters)}, "remove": {onHub(complete.Clusters)},
}

// takesDirectory are the commands with an argument DIR.
var takesDirectory = []string{"lint", "plan", "render", "why", "interpret"}

// completeAll sets the completion of the arguments and flags of c and all commands below it.
func completeAll(c *cobra.Command) {
	if c.ValidArgsFunction == nil && !slices.Contains(takesDirectory, c.Name()) && !c.HasSubCommands() {
		c.ValidArgsFunction = func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if list := argumentCandidates[c.Name()]; len(args) < len(list) {
				return list[len(args)](c), cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
	}
	for _, flags := range []*pflag.FlagSet{c.Flags(), c.PersistentFlags()} {
		flags.VisitAll(func(f *pflag.Flag) { completeFlag(c, f) })
	}
	for _, sub := range c.Commands() {
		completeAll(sub)
	}
}

func completeFlag(c *cobra.Command, f *pflag.Flag) {
	if _, done := c.GetFlagCompletionFunc(f.Name); done { // a flag that all commands share
		return
	}
	list := flagCandidates[f.Name]
	if choice, ok := f.Value.(interface{ Choices() []string }); ok {
		list = oneOf(choice.Choices()...)
	}
	switch {
	case list == nil && slices.Contains(fileFlags, f.Name):
		return
	case f.Name == "fail-on" && c.Name() == "plan":
		list = oneOf(failOnChanges, failOnError)
	case f.Name == "fail-on":
		list = oneOf("error", "warning", "note")
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
