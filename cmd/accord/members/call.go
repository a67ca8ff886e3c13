package members

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/exit"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/members/fanout"
	"github.com/accord-dev/accord/cmd/accord/members/guard"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/phrase"
)

// call is one run of a command.
type call struct {
	verb
	*target
	own  Tables
	cmd  *cobra.Command
	args []string
	// argv is the command line without the flags of target.
	argv []string

	onHub   *hub.Hub
	scope   Scope
	servers []fanout.Server
}

// do finds the servers and runs the command on them.
func (c *call) do() (err error) {
	if c.scope, err = c.where(c.verb); err != nil {
		return err
	}
	if c.name == "get" && c.ownTable() {
		return c.printOwn()
	}
	if c.onHub, err = c.hub.Connect(); err != nil {
		return err
	}
	hub.SetLogger(slog.New(slog.DiscardHandler))
	if c.servers, err = c.find(c.cmd.Context()); err != nil {
		return err
	}
	return c.run(c)
}

// find returns the servers of the command, the hub first.
func (c *call) find(ctx context.Context) ([]fanout.Server, error) {
	if c.scope == OnHub {
		return []fanout.Server{theHub}, nil
	}
	names := c.names()
	if c.writes && len(names) == 0 && !c.every {
		if c.many {
			return nil, errors.New("name the clusters with --clusters, or set --all-clusters: a write goes to no other cluster")
		}
		return nil, errors.New("--cluster is required")
	}
	servers, err := c.clustersOf(ctx, c.onHub, names)
	if err != nil {
		return nil, err
	}
	if c.scope == Everyone {
		servers = slices.Insert(servers, 0, theHub)
	}
	if len(servers) == 0 {
		return nil, errNoCluster
	}
	if c.finds && len(names) == 0 && !c.every && len(servers) > 1 {
		return c.choose(servers)
	}
	if !c.many && len(servers) > 1 {
		return nil, fmt.Errorf("--cluster is required: the hub has the clusters %s", phrase.List(serverNames(servers), 5))
	}
	return servers, nil
}

func serverNames(servers []fanout.Server) []string {
	var names []string
	for _, s := range servers {
		names = append(names, s.Name)
	}
	return names
}

// streams returns the streams of the command.
func (c *call) streams() genericiooptions.IOStreams {
	out, errOut := text.Unescaped(c.cmd.OutOrStdout()), text.Unescaped(c.cmd.ErrOrStderr())
	if !c.unescaped {
		out, errOut = text.SafeWriter(out), text.SafeWriter(errOut)
	}
	return genericiooptions.IOStreams{In: c.cmd.InOrStdin(), Out: out, ErrOut: errOut}
}

// getter returns kubectl's access to one server, and the guard of its objects, which is nil if the command may write to all of them.
func (c *call) getter(s fanout.Server) (genericclioptions.RESTClientGetter, *guard.Guard) {
	if s.Hub || !c.writes || c.force {
		return c.to(s), nil
	}
	g := &guard.Guard{Cluster: s.Name, Base: basePath(c.onHub) + hub.ProxyPath(s.Name), Reads: c.name == "edit", Records: c.records}
	return c.hub.Getter(c.namespace, hub.ProxyPath(s.Name), g.Wrap), g
}

// records returns the records of delivered objects.
func (c *call) records(ctx context.Context) ([]v1alpha1.FederatedObject, error) {
	list := &v1alpha1.FederatedObjectList{}
	err := c.onHub.List(ctx, list)
	return list.Items, err
}

// on runs the command on one server.
func (c *call) on(s fanout.Server, streams genericiooptions.IOStreams) error {
	getter, g := c.getter(s)
	err := c.invoke(getter, streams)
	stopped, ok := errors.AsType[*exit.Error](err)
	if g == nil || !ok || stopped.Err == nil {
		return err
	}
	message := stopped.Err.Error()
	for _, sentence := range g.Refused() { // accord refused, and no server
		message = strings.ReplaceAll(message, "Error from server (Forbidden): "+sentence, sentence)
	}
	return &exit.Error{Code: stopped.Code, Err: errors.New(message)}
}

// fatal is the end of a command of kubectl, which prints a message and exits.
type fatal struct {
	message string
	code    int
}

// invoke runs the command of kubectl with its own flags and arguments.
func (c *call) invoke(getter genericclioptions.RESTClientGetter, streams genericiooptions.IOStreams) (err error) {
	defer func() {
		end := recover()
		if f, ok := end.(fatal); ok {
			err = &exit.Error{Code: f.code, Err: sentence(f.message)}
		} else if end != nil {
			panic(end)
		}
	}()
	root := &cobra.Command{Use: program, SilenceUsage: true, SilenceErrors: true}
	root.AddCommand(c.build(cmdutil.NewFactory(cmdutil.NewMatchVersionFlags(getter)), streams))
	root.SetArgs(c.argv)
	root.SetIn(streams.In)
	root.SetOut(streams.Out)
	root.SetErr(streams.ErrOut)
	return root.ExecuteContext(c.cmd.Context())
}

// sentence returns the message of kubectl as an error, nil if kubectl has printed it.
func sentence(message string) error {
	if message = strings.TrimSpace(strings.TrimPrefix(message, "error: ")); message == "" {
		return nil
	}
	return errors.New(message)
}

// report prints the errors of clusters, and returns the end of a command that succeeded on others only.
func report(errOut io.Writer, failures []fanout.Failure) error {
	if len(failures) == 0 {
		return nil
	}
	for _, f := range failures {
		for line := range strings.Lines(strings.TrimSpace(f.Err.Error())) {
			fmt.Fprintf(errOut, "%s: %s\n", f.Server, strings.TrimSpace(line))
		}
	}
	return &exit.Error{Code: 1}
}

// single runs the command on the only server.
func (c *call) single() error {
	s := c.servers[0]
	if !s.Hub {
		if err := reach(c.cmd.Context(), c.to(s)); err != nil {
			return c.onHub.Wrap("reaching cluster "+s.Name, err)
		}
	}
	return c.on(s, c.streams())
}

// ownTable reports whether accord prints a table of its own: the arguments name kinds of accord alone, and no flag is kubectl's alone.
func (c *call) ownTable() bool {
	if len(c.args) == 0 || len(c.args) > 2 || c.scope != OnHub || c.target.scope.value != "" || !c.own.Takes(c.args[0]) {
		return false
	}
	for _, word := range c.argv {
		name, value, isFlag := strings.Cut(strings.TrimPrefix(word, "--"), "=")
		if !strings.HasPrefix(word, "--") || !isFlag {
			continue
		}
		if name != "all-namespaces" && (name != "output" || !slices.Contains([]string{"", "text", "wide", "json", "yaml"}, value)) {
			return false
		}
	}
	return true
}

// printOwn prints a table of accord.
func (c *call) printOwn() error {
	all, err := c.cmd.Flags().GetBool("all-namespaces")
	if err != nil {
		return err
	}
	c.hub.SetNamespace(c.namespace, all)
	output := cmp.Or(c.cmd.Flag("output").Value.String(), string(text.AsText))
	return c.own.Print(c.cmd.Context(), c.cmd.OutOrStdout(), &c.hub, c.args[0], text.First(c.args[1:]), output)
}

// unknownKind reports whether an error is about a kind that a server does not have.
func unknownKind(err error) bool {
	return apimeta.IsNoMatchError(err) || err != nil && strings.Contains(err.Error(), "doesn't have a resource type")
}
