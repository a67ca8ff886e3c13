package members

import (
	"time"

	"github.com/spf13/cobra"
	"k8s.io/kubectl/pkg/cmd/logs"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"
)

const logsLong = `Print the logs of a container of a member.

` + access

// LogsCommand returns "accord logs".
func LogsCommand() *cobra.Command {
	var at connection
	var o *logs.LogsOptions
	c := &cobra.Command{
		Use:     "logs (POD | KIND/NAME | -l SELECTOR) --cluster CLUSTER",
		Short:   "Print the logs of a container of a member",
		Long:    logsLong,
		Example: "  accord logs deployment/web -C eu-1 -f --tail 20\n  accord logs web-6f7d9 -C eu-1 -c sidecar --previous",
		Args:    cobra.MaximumNArgs(1),
	}
	o = logs.NewLogsOptions(streams(c))
	c.RunE = func(c *cobra.Command, args []string) error {
		f, err := at.factory(c.Context())
		if err != nil {
			return err
		}
		o.IOStreams = streams(c)
		if err := o.Complete(f, c, args); err != nil {
			return err
		}
		if err := o.Validate(); err != nil {
			return err
		}
		return o.RunLogsContext(c.Context())
	}
	at.register(c)
	f := c.Flags()
	f.StringVarP(&o.Container, "container", "c", "", "container of the pod (default the first one)")
	f.BoolVarP(&o.Follow, "follow", "f", false, "go on with new lines until you interrupt the command")
	f.BoolVarP(&o.Previous, "previous", "p", false, "print the logs of the container before its last restart")
	f.Int64Var(&o.Tail, "tail", -1, "number of the last lines (default all, 10 with a selector)")
	f.DurationVar(&o.SinceSeconds, "since", 0, "print lines that are at most this old, such as 5m")
	f.StringVar(&o.SinceTime, "since-time", "", "print lines from this time on (RFC 3339)")
	f.BoolVar(&o.Timestamps, "timestamps", false, "print the time of each line")
	f.BoolVar(&o.AllContainers, "all-containers", false, "print the logs of all containers of the pod")
	f.BoolVar(&o.Prefix, "prefix", false, "begin each line with the pod and the container")
	f.StringVarP(&o.Selector, "selector", "l", "", "print the logs of the pods with these labels, key=value")
	f.IntVar(&o.MaxFollowConcurrency, "max-log-requests", 5, "largest number of containers to follow with a selector")
	cmdutil.AddPodRunningTimeoutFlag(c, 20*time.Second)
	f.Lookup("pod-running-timeout").Usage = "time to wait until a pod of the object runs"
	return c
}
