package check

import (
	"context"
	"io"

	"github.com/spf13/cobra"
	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/version"
)

const long = `Check an installation: the hub, its kinds, your rights and those of accord, the versions of accord and Kubernetes, the controllers,
the members and their agents, the sources of the federations, and the Secrets of webhooks.

Each line is ok, warning or error. The line below a warning or an error is the fix. Check only reads.

Exit codes: 0 no errors, 1 errors, 2 a usage error or an error of accord itself.`

type flags struct {
	hub       hub.Flags
	output    text.FormatFlag
	installed string
	rules     func(namespace string) ([]rbacv1.PolicyRule, error)
}

// Command returns "accord check". rules returns the rights of the controllers, which are installed in a namespace.
func Command(rules func(namespace string) ([]rbacv1.PolicyRule, error)) *cobra.Command {
	f := &flags{rules: rules}
	c := &cobra.Command{
		Use:   "check",
		Short: "Check the hub, the rights, the versions, the members and the sources",
		Long:  long,
		Example: `  accord check
  accord check -A -o json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c.Context(), c.OutOrStdout()) },
	}
	f.hub.RegisterWithNamespace(c.Flags())
	f.output.Register(c.Flags(), text.AsText, text.AsJSON)
	c.Flags().StringVar(&f.installed, "system-namespace", hub.SystemNamespace, "namespace of accord on the hub")
	return c
}

func (f *flags) run(ctx context.Context, out io.Writer) error {
	h, err := f.hub.Connect()
	if err != nil {
		return err
	}
	rules, err := f.rules(f.installed)
	if err != nil {
		return err
	}
	report, err := Run(ctx, h, Installation{Namespace: f.installed, Rules: rules, Version: version.Get().Version})
	if err != nil {
		return err
	}
	if err := text.Write(out, f.output.Value, report, report.Write); err != nil {
		return err
	}
	return report.Err()
}
