package members

import (
	"slices"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/kubectl/pkg/cmd/annotate"
	"k8s.io/kubectl/pkg/cmd/apiresources"
	"k8s.io/kubectl/pkg/cmd/apply"
	"k8s.io/kubectl/pkg/cmd/attach"
	"k8s.io/kubectl/pkg/cmd/create"
	deletecmd "k8s.io/kubectl/pkg/cmd/delete"
	"k8s.io/kubectl/pkg/cmd/describe"
	"k8s.io/kubectl/pkg/cmd/edit"
	"k8s.io/kubectl/pkg/cmd/exec"
	"k8s.io/kubectl/pkg/cmd/explain"
	"k8s.io/kubectl/pkg/cmd/get"
	"k8s.io/kubectl/pkg/cmd/label"
	"k8s.io/kubectl/pkg/cmd/logs"
	"k8s.io/kubectl/pkg/cmd/patch"
	"k8s.io/kubectl/pkg/cmd/portforward"
	"k8s.io/kubectl/pkg/cmd/top"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"

	_ "github.com/accord-dev/accord/cmd/accord/members/english"
)

// program is the name of this program in kubectl's texts.
const program = "accord"

// verb is a command of kubectl.
type verb struct {
	name, short, use, long, example string
	build                           func(cmdutil.Factory, genericiooptions.IOStreams) *cobra.Command
	// scopes are the allowed ones; the first is the default.
	scopes []Scope
	// many reports whether the command acts on several clusters.
	many bool
	// writes reports whether the command changes objects.
	writes bool
	// finds reports whether the command finds the cluster of its object.
	finds bool
	// unescaped reports whether the output passes unchanged, because it is that of a program or of a terminal.
	unescaped bool
	// run is the way to act on several clusters.
	run func(*call) error
}

// chosen returns the part of the help of --cluster about its default.
func (v verb) chosen() string {
	if v.finds {
		return " (default the only one that has the object)"
	}
	return " (default the only one there is)"
}

// defaultClusters returns the part of the help of --clusters about its default.
func (v verb) defaultClusters() string {
	switch {
	case v.writes:
		return ""
	case v.finds:
		return v.chosen()
	}
	return " (default all)"
}

// asks reports whether all clusters have to be requested by name: the default is none, or one.
func (v verb) asks() bool { return v.writes || v.finds }

var (
	anywhere  = []Scope{OnHub, OnMembers, Everyone}
	either    = []Scope{OnHub, OnMembers}
	onMembers = []Scope{OnMembers}
)

// named returns the constructor of a command that gets the name of the program.
func named(build func(string, cmdutil.Factory, genericiooptions.IOStreams) *cobra.Command) func(cmdutil.Factory, genericiooptions.IOStreams) *cobra.Command {
	return func(f cmdutil.Factory, s genericiooptions.IOStreams) *cobra.Command { return build(program, f, s) }
}

// plain returns the constructor of a command that uses the access to a server only.
func plain(build func(genericclioptions.RESTClientGetter, genericiooptions.IOStreams) *cobra.Command) func(cmdutil.Factory, genericiooptions.IOStreams) *cobra.Command {
	return func(f cmdutil.Factory, s genericiooptions.IOStreams) *cobra.Command { return build(f, s) }
}

// verbs returns the commands of kubectl.
func verbs() []verb { return slices.Concat(reading(), writing(), ofContainers()) }

// reading returns the commands that read objects, and the kinds of a server.
func reading() []verb {
	return []verb{
		{
			name: "get", short: "List objects of the hub and of members", use: "get KIND[,KIND...] [NAME...]", long: getLong, example: getExample,
			build: named(get.NewCmdGet), scopes: anywhere, many: true, run: (*call).merged,
		},
		{
			name: "describe", short: "Describe objects of the hub or of a member", use: "describe (KIND [NAME] | KIND/NAME)", long: anyLong, example: "  accord describe deployment/web -C eu-1",
			build: named(describe.NewCmdDescribe), scopes: either, run: (*call).single,
		},
		{
			name: "explain", short: "Explain the fields of a kind", use: "explain KIND[.FIELD...]", long: anyLong, example: "  accord explain federation.spec.sources\n  accord explain rollouts.spec.strategy -C eu-1",
			build: named(explain.NewCmdExplain), scopes: either, run: (*call).single,
		},
		{
			name: "api-resources", short: "List the kinds that the hub or a member serves", use: "api-resources", long: anyLong, example: "  accord api-resources -C eu-1 --namespaced",
			build: plain(apiresources.NewCmdAPIResources), scopes: either, run: (*call).single,
		},
		{
			name: "api-versions", short: "List the API versions that the hub or a member serves", use: "api-versions", long: anyLong, example: "  accord api-versions -C eu-1",
			build: plain(apiresources.NewCmdAPIVersions), scopes: either, run: (*call).single,
		},
	}
}

// writing returns the commands that write objects.
func writing() []verb {
	return []verb{
		{
			name: "create", short: "Create objects on the hub or on members", use: "create -f FILE", long: writeLong, example: "  accord create -f federation.yaml\n  accord create configmap probe --from-literal a=1 -C eu-1,us-1",
			build: create.NewCmdCreate, scopes: anywhere, many: true, writes: true, run: (*call).each,
		},
		{
			name: "apply", short: "Apply manifests to the hub or to members", use: "apply -f FILE", long: applyLong, example: "  accord apply -f federation.yaml\n  accord apply -f probe.yaml --all-clusters",
			build: named(apply.NewCmdApply), scopes: anywhere, many: true, writes: true, run: (*call).each,
		},
		{
			name: "delete", short: "Delete objects of the hub or of members", use: "delete (-f FILE | KIND [NAME...] | KIND/NAME)", long: writeLong, example: "  accord delete pod web-6f7d9 -C eu-1",
			build: deletecmd.NewCmdDelete, scopes: anywhere, many: true, writes: true, run: (*call).each,
		},
		{
			name: "patch", short: "Patch objects of the hub or of members", use: "patch KIND/NAME -p PATCH", long: writeLong, example: "  accord patch node n1 -C eu-1 -p '{\"spec\":{\"unschedulable\":true}}'",
			build: patch.NewCmdPatch, scopes: anywhere, many: true, writes: true, run: (*call).each,
		},
		{
			name: "edit", short: "Edit objects of the hub or of a member", use: "edit KIND/NAME", long: writeLong, example: "  accord edit federation/shop\n  accord edit configmap/probe -C eu-1",
			build: edit.NewCmdEdit, scopes: either, writes: true, unescaped: true, run: (*call).single,
		},
		{
			name: "label", short: "Change labels of objects of the hub or of members", use: "label KIND/NAME KEY=VALUE...", long: writeLong, example: "  accord label clusters.accord.dev eu-1 region=eu\n  accord label node n1 disk=ssd -C eu-1",
			build: label.NewCmdLabel, scopes: anywhere, many: true, writes: true, run: (*call).each,
		},
		{
			name: "annotate", short: "Change annotations of objects of the hub or of members", use: "annotate KIND/NAME KEY=VALUE...", long: writeLong, example: "  accord annotate pod web-6f7d9 seen=yes -C eu-1",
			build: named(annotate.NewCmdAnnotate), scopes: anywhere, many: true, writes: true, run: (*call).each,
		},
	}
}

// ofContainers returns the commands for containers, and for the CPU and memory that they use.
func ofContainers() []verb {
	return []verb{
		{
			name: "logs", short: "Print the logs of containers of members", use: "logs (POD | KIND/NAME | -l SELECTOR)", long: logsLong, example: "  accord logs deployment/web -f --tail 20\n  accord logs -l app=web --all-clusters -f\n  accord logs web-6f7d9 -C eu-1 -c sidecar --previous",
			build: logs.NewCmdLogs, scopes: onMembers, many: true, finds: true, unescaped: true, run: (*call).interleaved,
		},
		{
			name: "exec", short: "Run a command in a container of a member", use: "exec (POD | KIND/NAME) -- COMMAND [ARGUMENT...]", long: execLong, example: "  accord exec web-6f7d9 -- date\n  accord exec deployment/web -C eu-1 -it -- sh",
			build: exec.NewCmdExec, scopes: onMembers, finds: true, unescaped: true, run: (*call).single,
		},
		{
			name: "attach", short: "Attach to a container of a member", use: "attach (POD | KIND/NAME)", long: containerLong, example: "  accord attach web-6f7d9 -C eu-1 -i",
			build: attach.NewCmdAttach, scopes: onMembers, finds: true, unescaped: true, run: (*call).single,
		},
		{
			name: "port-forward", short: "Forward local ports to a pod of a member", use: "port-forward (POD | KIND/NAME) [LOCAL:]REMOTE...", long: containerLong, example: "  accord port-forward service/web 8080:80 -C eu-1",
			build: portforward.NewCmdPortForward, scopes: onMembers, finds: true, unescaped: true, run: (*call).single,
		},
		{
			name: "top", short: "Show the CPU and memory that nodes or pods of members use", use: "top (node | pod)", long: topLong, example: "  accord top nodes\n  accord top pods -n shop --sort-by cpu",
			build: top.NewCmdTop, scopes: onMembers, many: true, run: (*call).tabled,
		},
	}
}
