package main

import (
	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/cmd/accord/bootstrap"
	"github.com/accord-dev/accord/cmd/accord/check"
	"github.com/accord-dev/accord/cmd/accord/clusterimport"
	"github.com/accord-dev/accord/cmd/accord/command"
	"github.com/accord-dev/accord/cmd/accord/deliver"
	"github.com/accord-dev/accord/cmd/accord/demo"
	"github.com/accord-dev/accord/cmd/accord/events"
	"github.com/accord-dev/accord/cmd/accord/join"
	"github.com/accord-dev/accord/cmd/accord/livediff"
	"github.com/accord-dev/accord/cmd/accord/livesource"
	"github.com/accord-dev/accord/cmd/accord/members"
	"github.com/accord-dev/accord/cmd/accord/promote"
	"github.com/accord-dev/accord/cmd/accord/recovery"
	"github.com/accord-dev/accord/cmd/accord/register"
	"github.com/accord-dev/accord/cmd/accord/scaffold"
	"github.com/accord-dev/accord/cmd/accord/token"
	"github.com/accord-dev/accord/cmd/accord/tree"
	"github.com/accord-dev/accord/cmd/accord/uninstall"
)

// commandGroup is a part of the help.
type commandGroup struct {
	title    string
	commands []*cobra.Command
}

// otherCommands is the title of the last group.
const otherCommands = "Other"

// commandGroups returns the commands in the order of the help.
func commandGroups() []commandGroup {
	kubectl := members.Commands(ownTables())
	return []commandGroup{
		{"Change and review", []*cobra.Command{
			scaffold.Command(), lintCommand(), planCommand(), renderCommand(), livediff.Command(), whyCommand(), interpretCommand(), promote.Command(),
			clusterimport.Command(), livesource.Command(),
		}},
		{"Follow a commit", []*cobra.Command{
			statusCommand(), tree.Command(), events.Command(), waitCommand(), reconcileCommand(), rolloutCommand(), approveCommand(), abortCommand(), rollbackCommand(),
			suspendCommand(), resumeCommand(),
		}},
		{"Clusters", []*cobra.Command{
			joinCommand(), leaveCommand(), unjoinCommand(), join.ClusterCommand(), token.Command(), register.Command(), register.UnregisterCommand(),
			command.HoldCommand(), command.UnholdCommand(), command.TaintCommand(), command.CordonCommand(), command.UncordonCommand(),
			command.DrainCommand(), command.PurgeCommand(), recovery.Command(),
		}},
		{"Objects of the hub and of members", []*cobra.Command{
			kubectl["get"], kubectl["describe"], kubectl["explain"], kubectl["create"], kubectl["apply"], kubectl["delete"], kubectl["patch"],
			kubectl["edit"], kubectl["label"], kubectl["annotate"], kubectl["api-resources"], kubectl["api-versions"],
		}},
		{"Containers of members", []*cobra.Command{
			kubectl["logs"], kubectl["exec"], kubectl["attach"], kubectl["port-forward"], kubectl["top"],
		}},
		{"Run accord", []*cobra.Command{
			demo.Command(), upCommand(), downCommand(), runCommand(), installCommand(), uninstall.Command(installedObjects), bootstrap.Command(), check.Command(controllerRules), deliver.Command(),
		}},
		{otherCommands, []*cobra.Command{schemaCommand(), versionCommand()}},
	}
}
