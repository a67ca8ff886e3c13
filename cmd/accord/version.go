package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/version"
)

const versionLong = `Print the versions of this program, of accord on the hub, and of the Kubernetes API server of the hub.

A hub that cannot be reached is no error; the output has the reason. --client does not ask the hub.`

type versionFlags struct {
	hub    hub.Flags
	output text.FormatFlag
	client bool
}

func versionCommand() *cobra.Command {
	f := &versionFlags{}
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the versions of this program and of the hub",
		Long:  versionLong,
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return f.run(c.Context(), c.OutOrStdout()) },
	}
	f.hub.Register(c.Flags())
	c.Flags().BoolVar(&f.client, "client", false, "print the version of this program only")
	f.output.Register(c.Flags(), text.AsText, text.AsJSON, text.AsYAML)
	return c
}

func (f *versionFlags) run(ctx context.Context, out io.Writer) error {
	all := text.Versions{Client: version.Get()}
	if !f.client {
		all.Hub = f.askHub(ctx)
	}
	return text.Write(out, f.output.Value, all, func(out io.Writer) error {
		_, err := io.WriteString(out, all.String())
		return err
	})
}

// askHub returns the versions of the hub, or why they are unknown.
func (f *versionFlags) askHub(ctx context.Context) *text.HubVersions {
	h, err := f.hub.Connect()
	if err != nil {
		return &text.HubVersions{Error: err.Error()}
	}
	v := &text.HubVersions{Server: h.Config.Host}
	if v.Accord, v.Kubernetes, err = h.Versions(ctx); err != nil {
		v.Error = err.Error()
	}
	return v
}
