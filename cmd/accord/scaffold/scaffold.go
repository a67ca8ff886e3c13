// Package scaffold writes the files of a new repository: clusters, policies, an application with an overlay, a pipeline and the Federation.
package scaffold

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/distribution/reference"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/accord-dev/accord/cmd/accord/text"
)

//go:embed template
var templates embed.FS

// Pipelines are the values of Repository.Pipeline.
var Pipelines = []string{"github", "gitlab", NoPipeline}

// NoPipeline writes no pipeline.
const NoPipeline = "none"

// maxClusterName is the longest name of a Cluster.
const maxClusterName = 48

// Repository is the input of the templates.
type Repository struct {
	// Name and Namespace are those of the Federation.
	Name, Namespace string
	// URL and Branch are those that the hub reads.
	URL, Branch string
	// Path is the directory in the repository, and "" at its root.
	Path     string
	Clusters []string
	// App is the application, AppNamespace its namespace on the members, Image the image of its container.
	App, AppNamespace, Image string
	// Pipeline is one of Pipelines.
	Pipeline string
}

// file is a file of the repository and its template.
type file struct {
	name, template string
	input          any
}

// files returns the files in the order in which they are printed.
func (r *Repository) files() []file {
	all := []file{{"federation.yaml", "federation.yaml", r}, {"kustomization.yaml", "kustomization.yaml", r}}
	for _, c := range r.Clusters {
		all = append(all, file{"clusters/" + c + ".yaml", "cluster.yaml", c})
	}
	all = append(all, file{"policies/" + r.App + ".yaml", "policy.yaml", r})
	if len(r.Clusters) > 1 {
		all = append(all, file{"policies/rollout.yaml", "rollout.yaml", r})
	}
	base, overlay := "apps/"+r.App+"/base/", "apps/"+r.App+"/overlays/prod/"
	all = append(all, file{base + "deployment.yaml", "deployment.yaml", r}, file{base + "service.yaml", "service.yaml", r},
		file{base + "kustomization.yaml", "base.yaml", r}, file{overlay + "kustomization.yaml", "overlay.yaml", r})
	switch r.Pipeline {
	case "github":
		all = append(all, file{".github/workflows/accord.yaml", "github.yaml", r})
	case "gitlab":
		all = append(all, file{".gitlab-ci.yml", "gitlab.yaml", r})
	}
	return all
}

// check returns an error for values that would break the manifests.
func (r *Repository) check() error {
	for _, given := range []struct{ flag, name string }{
		{"--name", r.Name}, {"--namespace", r.Namespace}, {"--app", r.App}, {"--app-namespace", r.AppNamespace},
	} {
		if wrong := validation.IsDNS1123Label(given.name); len(wrong) > 0 {
			return fmt.Errorf("%s %q: %s", given.flag, given.name, strings.Join(wrong, "; "))
		}
	}
	if r.App == "rollout" {
		return errors.New("--app rollout: the policy of the application would be policies/rollout.yaml, which has the order of the clusters; choose another name")
	}
	if len(r.Clusters) == 0 {
		return errors.New("--clusters is required: a repository without a cluster cannot be planned")
	}
	for i, name := range r.Clusters {
		if wrong := validation.IsDNS1123Label(name); len(wrong) > 0 || len(name) > maxClusterName {
			return fmt.Errorf("--clusters %q: the name of a Cluster is a DNS label of at most %d characters", name, maxClusterName)
		}
		if slices.Contains(r.Clusters[:i], name) {
			return fmt.Errorf("--clusters names %s twice", name)
		}
	}
	if r.URL == "" {
		return errors.New("--url is required: the directory has no Git remote, and the hub reads the repository from a URL")
	}
	if _, err := reference.ParseNormalizedNamed(r.Image); err != nil {
		return fmt.Errorf("--image %q: %w", r.Image, err)
	}
	if !slices.Contains(Pipelines, r.Pipeline) {
		return fmt.Errorf("--pipeline %q: expected one of %s", r.Pipeline, strings.Join(Pipelines, ", "))
	}
	if r.Path != "" && r.Pipeline != NoPipeline {
		return errors.New("a forge reads pipelines at the root of a repository, and the directory is below it: set --pipeline none")
	}
	return nil
}

// WithoutCredentials returns the URL of a remote without user and password, which some pipelines put there.
func WithoutCredentials(remote string) string {
	if u, err := url.Parse(remote); err == nil && (u.Scheme == "https" || u.Scheme == "http") {
		u.User = nil
		return u.String()
	}
	return remote
}

// Write writes the files below a directory and returns their names. It writes nothing if one of them exists.
func (r *Repository) Write(dir string) ([]string, error) {
	r.App, r.Image = cmp.Or(r.App, r.Name), cmp.Or(r.Image, DefaultImage)
	if err := r.check(); err != nil {
		return nil, err
	}
	t, err := template.New("").Delims("[[", "]]").Funcs(template.FuncMap{"json": text.EncodeLine, "list": list}).ParseFS(templates, "template/*.yaml")
	if err != nil {
		return nil, fmt.Errorf("reading the built-in templates: %w", err)
	}
	all := r.files()
	for _, f := range all {
		if _, err := os.Lstat(filepath.Join(dir, f.name)); !errors.Is(err, fs.ErrNotExist) {
			return nil, errors.Join(fmt.Errorf("%s exists, and accord init overwrites nothing: choose another directory, or delete the file", filepath.Join(dir, f.name)), err)
		}
	}
	var names []string
	for _, f := range all {
		var b strings.Builder
		if err := t.ExecuteTemplate(&b, f.template, f.input); err != nil {
			return nil, fmt.Errorf("filling in %s: %w", f.name, err)
		}
		if err := create(filepath.Join(dir, f.name), b.String()); err != nil {
			return nil, err
		}
		names = append(names, f.name)
	}
	return names, nil
}

// create writes a new file. It does not follow a link, and does not replace a file that somebody created in the meantime.
func create(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// list returns names as a list of YAML on one line.
func list(names []string) string { return "[" + strings.Join(names, ", ") + "]" }
