package main

import (
	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/cmd/accord/complete"
	"github.com/accord-dev/accord/cmd/accord/interpret"
	"github.com/accord-dev/accord/cmd/accord/recovery"
	"github.com/accord-dev/accord/cmd/accord/scaffold"
	"github.com/accord-dev/accord/cmd/accord/schema"
)

func onHub(list complete.Names) complete.Candidates {
	return func(c *cobra.Command) []string { return complete.FromHub(c, list) }
}

func revisions(*cobra.Command) []string { return complete.Revisions() }

func recoveryPlans(*cobra.Command) []string { return recovery.Names() }

// contextsOf returns the contexts of the kubeconfig that a flag names, and those of kubectl without one.
func contextsOf(flag string) complete.Candidates {
	return func(c *cobra.Command) []string {
		if f := c.Flag(flag); f != nil {
			return complete.Contexts(f.Value.String())
		}
		return complete.Contexts("")
	}
}

// completion has the words that complete the arguments and flags of all commands. Arguments that are not here are directories, or new
// names.
var completion = complete.Words{
	Flags:       flagCandidates,
	Files:       fileFlags,
	Arguments:   argumentCandidates,
	Directories: []string{"init", "lint", "plan", "render", "diff", "why", "interpret"},
}

var flagCandidates = map[string]complete.Candidates{
	"base": revisions, "head": revisions, "revision": revisions, "branch": revisions, "tag": revisions,
	"cluster": onHub(complete.Clusters), "clusters": onHub(complete.Clusters), "fail": onHub(complete.Clusters), "unreachable": onHub(complete.Clusters),
	"federation": onHub(complete.Federations), "namespace": onHub(complete.Namespaces),
	"rollout": onHub(complete.Rollouts), "stage": onHub(complete.Stages),
	"context": contextsOf("kubeconfig"), "member-context": contextsOf("member-kubeconfig"), "cluster-context": contextsOf("cluster-kubeconfig"),
	"source-context": contextsOf(""), "production-context": contextsOf(""), "standby-context": contextsOf(""),
	"for": complete.OneOf("healthy", "applied"), "fail-on": complete.OneOf("error", "warning", "note"), "log-format": complete.OneOf("text", "json"),
	"forge": complete.OneOf("github", "gitlab", "gitea"), "pipeline": complete.OneOf(scaffold.Pipelines...),
	"operation": complete.OneOf(interpret.OperationNames()...),
	"kind":      complete.OneOf("RolloutPolicy", "PropagationPolicy", "ClusterPropagationPolicy", "Federation"),
}

var fileFlags = []string{
	"all", "cache-dir", "data-dir", "desired", "dir", "dump", "filename", "fleet-file", "items", "kubeconfig", "kustomize", "member-kubeconfig", "observed", "path",
	"repo", "scenario", "secrets-from",
}

var argumentCandidates = map[string][]complete.Candidates{
	"status": {onHub(complete.Federations)}, "wait": {onHub(complete.Federations)}, "history": {onHub(complete.Federations)},
	"reconcile": {onHub(complete.Federations)}, "tree": {onHub(complete.Federations)}, "events": {onHub(complete.Federations)},
	"approve": {onHub(complete.Rollouts)}, "abort": {onHub(complete.Rollouts)}, "rollback": {onHub(complete.Rollouts)},
	"suspend": {onHub(complete.Rollouts)}, "resume": {onHub(complete.Rollouts)},
	"schema": {func(*cobra.Command) []string { return schema.Names() }}, "hold": {onHub(complete.Clusters)}, "unhold": {onHub(complete.Clusters)}, "taint": {onHub(complete.Clusters)},
	"cordon": {onHub(complete.Clusters)}, "uncordon": {onHub(complete.Clusters)}, "leave": {onHub(complete.Clusters)}, "unjoin": {onHub(complete.Clusters)},
	"drain": {onHub(complete.Clusters)}, "remove": {onHub(complete.Clusters)},
	"why": {onHub(complete.Objects)}, "purge": {onHub(complete.Objects)},
	"dr status": {recoveryPlans}, "dr rehearse": {recoveryPlans}, "dr switch": {recoveryPlans}, "dr fence": {recoveryPlans},
}
