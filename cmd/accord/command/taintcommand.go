package command

import (
	"github.com/spf13/cobra"
)

const taintLong = `Add taints to a cluster, or remove them.

The arguments are those of "kubectl taint": KEY=VALUE:EFFECT or KEY:EFFECT adds a taint, KEY:EFFECT- removes it, and KEY- removes the
taints of the key with any effect. The effect is NoSchedule or NoExecute. Objects without a matching entry in clusterTolerations do not
go to the cluster. Objects that are there stay, unless the effect is NoExecute and failover is enabled: see docs/failover.md.

The command edits spec.taints of the Cluster manifest. With --on-hub it changes the Cluster on the hub, which must not be declared in
Git. accord itself keeps the taints cluster.karmada.io/not-ready and cluster.karmada.io/unreachable, in status.taints.
` + Notes

// TaintCommand returns "accord taint".
func TaintCommand() *cobra.Command {
	f := &Taint{}
	c := &cobra.Command{
		Use:   "taint CLUSTER KEY[=VALUE]:EFFECT|KEY[:EFFECT]- ...",
		Short: "Add or remove taints of a cluster",
		Long:  taintLong,
		Example: `  accord taint eu-7 maintenance=INC-4411:NoSchedule
  accord taint eu-7 maintenance:NoSchedule- --push`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			return f.Run(c.Context(), c.OutOrStdout(), args[0], args[1:])
		},
	}
	c.Flags().BoolVar(&f.overwrite, "overwrite", false, "replace the value of a taint with the same key and effect")
	f.register(c, "spec.taints")
	return c
}

const uncordonLong = `Mark a cluster as schedulable again.

The command removes the taints of "accord cordon" and "accord drain" from spec.taints of the Cluster manifest, or with --on-hub of the Cluster on the hub.
` + Notes

// UncordonCommand returns "accord uncordon".
func UncordonCommand() *cobra.Command {
	f := &Taint{}
	c := &cobra.Command{
		Use:     "uncordon CLUSTER",
		Short:   "Mark a cluster as schedulable",
		Long:    uncordonLong,
		Example: "  accord uncordon eu-7 --push",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return f.uncordon(c.Context(), c.OutOrStdout(), args[0])
		},
	}
	f.register(c, "spec.taints")
	return c
}
