package gitrepo

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/cmd/accord/gitrepo/edit"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/phrase"
)

// ManifestFile is a manifest in a file of the work tree.
type ManifestFile struct {
	edit.Manifest
	// File is the path below the root of the work tree, with slashes.
	File string
}

// Group returns the API group.
func (w ManifestFile) Group() string { return schema.FromAPIVersionAndKind(w.APIVersion, w.Kind).Group }

// Title returns "RolloutPolicy shop/web".
func (w ManifestFile) Title() string { return w.Kind + " " + text.Join("/", w.Namespace, w.Name) }

// Place returns "policies/web.yaml:14".
func (w ManifestFile) Place() string { return fmt.Sprintf("%s:%d", w.File, w.Line) }

// Selector selects manifests by kind and name.
type Selector struct {
	// Noun is the kind in messages: "Cluster".
	Noun string
	// Kinds are the kinds by API group.
	Kinds map[string][]string
	// Name is "web" or "shop/web"; empty selects any name.
	Name string
}

func (w Selector) matchesKind(m ManifestFile) bool {
	return slices.Contains(w.Kinds[m.Group()], m.Kind)
}

func (w Selector) matchesName(m ManifestFile) bool {
	namespace, name, both := strings.Cut(w.Name, "/")
	if !both {
		namespace, name = m.Namespace, w.Name
	}
	return w.Name == "" || m.Name == name && (m.Namespace == namespace || both && namespace == "default" && m.Namespace == "")
}

// notFound returns a message with the manifests that there are.
func (w Selector) notFound(all []ManifestFile, root string) string {
	names := make([]string, len(all))
	for i, m := range all {
		names[i] = text.Join("/", m.Namespace, m.Name)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	switch {
	case len(all) == 0:
		return fmt.Sprintf("there is no manifest of a %s in %s", w.Noun, root)
	case w.Name == "":
		return fmt.Sprintf("which %s? There is %s", w.Noun, phrase.List(names, text.FewNames))
	}
	hint := manifest.DidYouMean(w.Name, names)
	if hint == "" {
		hint = "; there is " + phrase.List(names, text.FewNames)
	}
	return fmt.Sprintf("no %s %q in %s%s", w.Noun, w.Name, root, hint)
}

// manifests returns the manifests of a kind below a directory of the work tree, by file, without hidden directories. unread
// names the files that are not YAML.
func (h *Repository) manifests(below string, of func(ManifestFile) bool) (all []ManifestFile, unread string, err error) {
	var broken []string
	err = filepath.WalkDir(filepath.Join(h.Root, filepath.FromSlash(below)), func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && path != h.Root:
			return fs.SkipDir
		case !entry.Type().IsRegular() || !slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(path)):
			return nil
		}
		name, err := filepath.Rel(h.Root, path)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		found, err := edit.Read(text)
		if err != nil {
			broken = append(broken, filepath.ToSlash(name))
		}
		for _, m := range found {
			if w := (ManifestFile{m, filepath.ToSlash(name)}); of(w) {
				all = append(all, w)
			}
		}
		return nil
	})
	if err != nil {
		return nil, "", fmt.Errorf("looking for manifests: %w", err)
	}
	if len(broken) > 0 {
		unread = " (not read, because they are no YAML: " + phrase.List(broken, 3) + ")"
	}
	return all, unread, nil
}

// NotFoundError means that no manifest matches a selector. Its message names the manifests that there are.
type NotFoundError struct{ message string }

func (e *NotFoundError) Error() string { return e.message }

// FindManifest returns the one manifest that the selector matches, below dir. An empty dir is the whole work tree around the
// current directory.
func FindManifest(dir string, w Selector) (*Repository, ManifestFile, error) {
	h, err := Open(cmp.Or(dir, "."))
	if err != nil {
		return nil, ManifestFile{}, err
	}
	if h.Bare {
		return nil, ManifestFile{}, errors.New("this Git repository has no work tree to edit")
	}
	below := "."
	if dir != "" {
		below = h.Below
	}
	all, unread, err := h.manifests(below, w.matchesKind)
	if err != nil {
		return nil, ManifestFile{}, err
	}
	found := slices.DeleteFunc(slices.Clone(all), func(m ManifestFile) bool { return !w.matchesName(m) })
	switch len(found) {
	case 0:
		return nil, ManifestFile{}, &NotFoundError{w.notFound(all, h.Root) + unread}
	case 1:
		return h, found[0], nil
	}
	places := make([]string, len(found))
	for i, m := range found {
		places[i] = m.Title() + " in " + m.Place()
	}
	return nil, ManifestFile{}, fmt.Errorf("several manifests match: %s (select one by name, --dir or --kind)", phrase.List(places, text.FewNames))
}

// ManifestNames returns the names of the manifests of the selected kinds in the work tree around the current directory.
func ManifestNames(w Selector) ([]string, error) {
	h, err := Open(".")
	if err != nil || h.Bare {
		return nil, err
	}
	all, _, err := h.manifests(".", w.matchesKind)
	names := make([]string, len(all))
	for i, m := range all {
		names[i] = m.Name
	}
	return names, err
}
