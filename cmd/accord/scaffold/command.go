package scaffold

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/accord-dev/accord/cmd/accord/gitrepo"
	"github.com/accord-dev/accord/cmd/accord/text"
)

const long = `Write the files of a new repository: clusters/, policies/, an application with a base and an overlay, a pipeline that runs lint and
plan for each pull request, and the manifest of the Federation.

On a terminal, init asks for the values that no flag gives: at most five questions. Elsewhere the flags decide. If a file exists, init
writes nothing. The result passes "accord lint" and "accord plan".`

// Command returns "accord init".
func Command() *cobra.Command {
	r := &Repository{Branch: "main"}
	c := &cobra.Command{
		Use:   "init [DIR]",
		Short: "Write the files of a new repository",
		Long:  long,
		Example: `  accord init
  accord init shop --name shop --url https://github.com/team/shop --clusters eu-1,us-1 --pipeline github`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return initialize(c, r, append(args, ".")[0]) },
	}
	f := c.Flags()
	f.StringVar(&r.Name, "name", "", "name of the Federation (default that of the directory)")
	f.StringVar(&r.Namespace, "namespace", "default", "namespace of the Federation on the hub")
	f.StringVar(&r.URL, "url", "", "URL of the repository, which the hub reads (default that of the first Git remote)")
	f.StringVar(&r.Branch, "branch", r.Branch, "branch that the hub reads")
	f.StringSliceVar(&r.Clusters, "clusters", nil, "names of the clusters; the first is the canary")
	f.StringVar(&r.App, "app", "", "name of the application (default that of the Federation)")
	f.StringVar(&r.AppNamespace, "app-namespace", "default", "namespace of the application on the clusters")
	f.StringVar(&r.Image, "image", DefaultImage, "image of the application")
	f.StringVar(&r.Pipeline, "pipeline", Pipelines[0], "forge that runs the pipeline: "+strings.Join(Pipelines, ", "))
	return c
}

func initialize(c *cobra.Command, r *Repository, dir string) error {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("resolving the directory: %w", err)
	}
	if base := strings.ToLower(filepath.Base(absolute)); r.Name == "" && len(validation.IsDNS1123Label(base)) == 0 {
		r.Name = base
	}
	if err := readRepository(r, absolute, c.Flags().Changed("pipeline")); err != nil {
		return err
	}
	in, out := c.InOrStdin(), c.OutOrStdout()
	if text.IsTerminal(in) && text.IsTerminal(out) {
		q := Questions{In: in, Out: out, Given: c.Flags().Changed}
		if err := q.Fill(c.Context(), r); err != nil {
			return err
		}
	}
	return writeRepository(out, r, dir)
}

// readRepository takes the URL and the path from the repository around the directory, if there is one.
func readRepository(r *Repository, dir string, pipelineGiven bool) error {
	repo, err := gitrepo.Open(dir)
	if err != nil { // a directory that becomes a repository later
		return nil
	}
	if r.Path = filepath.ToSlash(repo.Below); r.Path == "." {
		r.Path = ""
	} else if !pipelineGiven {
		r.Pipeline = NoPipeline
	}
	if remotes := repo.Remotes(); r.URL == "" && len(remotes) > 0 {
		r.URL = WithoutCredentials(remotes[0])
	}
	return nil
}

func writeRepository(out io.Writer, r *Repository, dir string) error {
	files, err := r.Write(dir)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "wrote %s:\n", dir)
	for _, name := range files {
		fmt.Fprintln(out, "  "+name)
	}
	fmt.Fprintln(out, "next:")
	if filepath.Clean(dir) != "." {
		fmt.Fprintln(out, "  "+text.CommandLine([]string{"cd", dir}))
	}
	_, err = fmt.Fprintf(out, `  accord lint
  %s
  accord join %s --member-context CONTEXT
  accord apply -f federation.yaml
  accord wait %s
`, strings.Join(commit(r, dir), " && "), r.Clusters[0], strings.TrimPrefix(r.Namespace+"/"+r.Name, "default/"))
	return err
}

// commit returns the commands that bring the files to the URL that the hub reads.
func commit(r *Repository, dir string) []string {
	commands := []string{"git add .", fmt.Sprintf("git commit -m %q", "deliver "+r.App)}
	repo, err := gitrepo.Open(dir)
	if err != nil {
		commands = slices.Insert(commands, 0, "git init -b "+r.Branch)
	}
	switch {
	case filepath.IsAbs(r.URL): // the hub reads this directory
		return commands
	case err == nil && len(repo.Remotes()) > 0:
		return append(commands, "git push")
	}
	return append(commands, text.CommandLine([]string{"git", "remote", "add", "origin", r.URL}), "git push -u origin "+r.Branch)
}
