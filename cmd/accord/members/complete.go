package members

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"
	"k8s.io/kubectl/pkg/util/completion"

	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/members/fanout"
)

// completionLimit limits the requests of one completion.
const completionLimit = 3 * time.Second

// completing returns the access to the servers whose names complete an argument.
func (t *target) completing() (genericclioptions.RESTClientGetter, error) {
	hub.SetLogger(slog.New(slog.DiscardHandler)) // a shell shows errors between the words
	names := t.names()
	if len(names) == 0 && t.scope.value != OnMembers && len(t.scope.allowed) > 0 {
		return t.to(theHub), nil
	}
	h, err := t.hub.Connect()
	if err != nil {
		return nil, err
	}
	ctx, end := context.WithTimeout(context.Background(), completionLimit)
	defer end()
	servers, err := t.clustersOf(ctx, h, names)
	if err != nil {
		return nil, err
	}
	if len(servers) == 0 {
		return nil, errNoCluster
	}
	for i := range servers {
		servers[i].Limit = completionLimit
	}
	return t.toAll(fanout.New(servers, basePath(h), nil), servers), nil
}

// complete completes kinds, names and namespaces of the servers of the command.
func (t *target) complete(c *cobra.Command, v verb, tables Tables) {
	f := cmdutil.NewFactory(cmdutil.NewMatchVersionFlags(lazyGetter(t.completing)))
	const done = cobra.ShellCompDirectiveNoFileComp
	// The error is about a flag without a name or with two functions: a mistake in the source that every test sees.
	err := c.RegisterFlagCompletionFunc("namespace", func(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
		return completion.CompGetResource(f, "namespace", word), done
	})
	if err != nil {
		panic(err)
	}
	if v.name != "get" {
		return
	}
	kinds := completion.ResourceTypeAndNameCompletionFunc(f)
	c.ValidArgsFunction = func(c *cobra.Command, args []string, word string) (all []string, _ cobra.ShellCompDirective) {
		if len(args) == 0 && t.scope.value != OnMembers && len(t.names()) == 0 {
			for _, kind := range tables.Kinds {
				if strings.HasPrefix(kind, word) {
					all = append(all, kind)
				}
			}
		}
		more, _ := kinds(c, args, word)
		for _, kind := range more {
			if !contains(all, kind) {
				all = append(all, kind)
			}
		}
		return all, done
	}
}

// contains reports whether a kind is in a list, also with its group.
func contains(kinds []string, kind string) bool {
	name, _, _ := strings.Cut(kind, ".")
	for _, k := range kinds {
		if k == kind || k == name {
			return true
		}
	}
	return false
}
