package members

import (
	"errors"
	"time"

	"github.com/spf13/cobra"
	remoteexec "k8s.io/client-go/util/exec"
	"k8s.io/kubectl/pkg/cmd/exec"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"

	"github.com/accord-dev/accord/cmd/accord/exit"
)

const execLong = `Run a command in a container of a member. The exit code is that of the command.

` + access

// ExecCommand returns "accord exec".
func ExecCommand() *cobra.Command {
	var at connection
	o := &exec.ExecOptions{Executor: &exec.DefaultRemoteExecutor{}}
	c := &cobra.Command{
		Use:     "exec (POD | KIND/NAME) --cluster CLUSTER -- COMMAND [ARGUMENT...]",
		Short:   "Run a command in a container of a member",
		Long:    execLong,
		Example: "  accord exec web-6f7d9 -C eu-1 -- date\n  accord exec deployment/web -C eu-1 -it -- sh",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			f, err := at.factory(c.Context())
			if err != nil {
				return err
			}
			o.IOStreams = streams(c)
			if err := o.Complete(f, c, args, c.ArgsLenAtDash()); err != nil {
				return err
			}
			if err := o.Validate(); err != nil {
				return err
			}
			return ended(o.Run())
		},
	}
	at.register(c)
	f := c.Flags()
	f.StringVarP(&o.ContainerName, "container", "c", "", "container of the pod (default the first one)")
	f.BoolVarP(&o.Stdin, "stdin", "i", false, "pass the standard input to the command")
	f.BoolVarP(&o.TTY, "tty", "t", false, "run the command on a terminal")
	f.BoolVarP(&o.Quiet, "quiet", "q", false, "print the output of the command only")
	cmdutil.AddPodRunningTimeoutFlag(c, time.Minute)
	f.Lookup("pod-running-timeout").Usage = "time to wait until a pod of the object runs"
	return c
}

// ended makes the exit code of the remote command that of accord.
func ended(err error) error {
	if code := (remoteexec.CodeExitError{}); errors.As(err, &code) {
		return &exit.Error{Code: code.Code, Err: err}
	}
	return err
}
