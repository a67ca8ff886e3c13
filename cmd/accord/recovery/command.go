// Package recovery shows, rehearses and makes the switch between a production cluster and its standby.
package recovery

import (
	"github.com/spf13/cobra"
)

const long = `Prepare the switch from a production cluster to its standby, and make it.

A RecoveryPlan in Git names the live cluster that the standby follows, and the site that is active. The commands find it in the work
tree around the current directory. They reach the clusters with the credentials of the hub, or with contexts of your kubeconfig.`

// Command returns "accord dr".
func Command() *cobra.Command {
	c := &cobra.Command{Use: "dr", Short: "Show, rehearse and make the switch to a standby cluster", Long: long}
	c.AddCommand(statusCommand(), rehearseCommand(), switchCommand(), fenceCommand())
	return c
}
