package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/cmd/accord/schema"
)

const schemaLong = `Print the JSON schema of a kind of manifest (draft-07), or of the -o json of a command (draft 2020-12). Without KIND, list the kinds.

Editors complete and check manifests with a schema. --all writes one file for each kind: GROUP/KIND_VERSION.json, the names that
the YAML language server and kubeconform look for. A kind that two API groups have is written as in kubectl: cluster.cluster.karmada.io.`

func schemaCommand() *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:     "schema [KIND]",
		Short:   "Print the JSON schema of a kind, for editors and scripts",
		Long:    schemaLong,
		Example: "  accord schema RolloutPolicy > rolloutpolicy.json\n  accord schema --all .schemas",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case dir != "" && len(args) > 0:
				return errors.New("--all and KIND are mutually exclusive: --all writes every kind")
			case dir != "":
				return schema.WriteAll(c.OutOrStdout(), dir)
			case len(args) > 0:
				return schema.Print(c.OutOrStdout(), args[0])
			}
			return schema.List(c.OutOrStdout())
		},
	}
	c.Flags().StringVar(&dir, "all", "", "directory to write the schemas of all kinds to")
	return c
}
