package demo

import (
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/clusters/local/subprocess"
)

const long = `Start a hub and two clusters on this machine, and deliver three commits to them: a version on both clusters, the next version with
one cluster on hold, and the next version everywhere. The demo prints each command that it runs, and the versions on each cluster.

Hub and clusters are real Kubernetes API servers: the program accord-apiserver, which accord finds beside its own file. The clusters
have no nodes and run no containers. The demo reports each Deployment as available, in place of their controllers.

You need neither a cluster nor Docker, kubectl or git. The demo takes less than a minute and 1 GB of memory. It works in a directory
for temporary files, and deletes it at the end. With --keep, everything runs until Ctrl-C. On Windows it does not run, because
"accord up --detach" does not.`

// Command returns "accord demo".
func Command() *cobra.Command {
	var apiserver string
	var keep bool
	c := &cobra.Command{
		Use:     "demo",
		Short:   "Play a rollout on a hub and two clusters of its own",
		Long:    long,
		Example: "  accord demo\n  accord demo --keep",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) (err error) {
			program, err := subprocess.Find(apiserver)
			if err != nil {
				return err
			}
			dir, err := os.MkdirTemp("", "accord-demo-")
			if err != nil {
				return err
			}
			defer os.RemoveAll(dir)
			// Without this, a reader or a terminal that goes away would end the demo, and leave the hub running.
			ctx, end := signal.NotifyContext(c.Context(), syscall.SIGPIPE, syscall.SIGHUP)
			defer end()
			s := &stage{out: c.OutOrStdout(), dir: dir, apiserver: apiserver, program: program, home: filepath.Join(dir, "hub")}
			return s.run(ctx, keep)
		},
	}
	c.Flags().BoolVar(&keep, "keep", false, "keep hub and clusters running at the end, until Ctrl-C")
	c.Flags().StringVar(&apiserver, "apiserver", "", "file of the program accord-apiserver (default beside accord, else in PATH)")
	return c
}
