package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/render"
)

const lintLong = `Find mistakes in a directory of manifests and policies, without any cluster.

It reads, decides and renders as the controllers would, for the Clusters that are declared there. The first line
is the verdict; then each mistake and each note with the file and line it is about.

Exit codes: 0 no mistakes, 1 mistakes, 2 usage error or an error of accord itself.`

// lintFlags of one lint.
type lintFlags struct {
	output formatFlag
	paths  []string
	dump   string
}

func lintCommand() *cobra.Command {
	f := &lintFlags{}
	c := &cobra.Command{
		Use:     "lint [DIR]",
		Short:   "Find mistakes in manifests and policies, without any cluster",
		Long:    lintLong,
		Example: "  accord lint\n  accord lint deploy --path apps --path policies",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			dir := firstOf(args)
			if dir == "" {
				dir = "."
			}
			return f.run(c.OutOrStdout(), dir)
		},
	}
	f.output.register(c.Flags(), asText, asJSON)
	c.Flags().StringSliceVar(&f.paths, "path", []string{"."}, "directory in DIR to read, as the path of a source (repeatable)")
	c.Flags().StringVar(&f.dump, "dump", "", "write the planner's whole input to this file, for a bug report or a test")
	return c
}

func (f *lintFlags) run(out io.Writer, dir string) error {
	root, err := os.OpenRoot(dir) // links that lead out of the directory are refused, as they are in a commit
	if err != nil {
		return fmt.Errorf("opening the directory: %w", err)
	}
	defer root.Close()
	input, parts, err := readTree(root, f.paths)
	report := lintReport{
		dir: dir, unread: err != nil,
		Objects: len(parts.Objects), Policies: len(parts.Policies) + len(parts.Overrides), Clusters: len(parts.Clusters),
	}
	if err == nil && f.dump != "" {
		if err := dumpTo(f.dump, input); err != nil {
			return err
		}
	}
	report.addErrors(err)
	report.addFindings(parts.Findings)
	if err == nil {
		report.plan(input)
	}
	if err := report.write(out, f.output.value); err != nil {
		return err
	}
	if len(report.Errors) > 0 {
		return &exitError{code: 1}
	}
	return nil
}

// readTree builds and sorts the directories as the sources of one federation.
func readTree(root *os.Root, paths []string) (propagate.Input, propagate.Parts, error) {
	var objects []render.Object
	var errs []error
	for _, path := range paths {
		built, err := render.Build(root.FS(), render.Options{Dir: path})
		objects, errs = append(objects, built...), append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return propagate.Input{}, propagate.Parts{}, err
	}
	parts, err := propagate.Sort(objects)
	return propagate.Input{
		Federation: "default/lint", Revision: "worktree",
		Objects: parts.Objects, Policies: parts.Policies, Overrides: parts.Overrides, Fleet: parts.Fleet(),
	}, parts, err
}

// dumpTo writes the input to a file.
func dumpTo(path string, in propagate.Input) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("making the dump: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return propagate.Dump(file, in)
}
