package main

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
	"github.com/accord-dev/accord/cmd/accord/edit"
)

// A written is a manifest in the work tree.
type written struct {
	edit.Manifest
	// file below the root of the work tree, with slashes.
	file string
}

// group of the API.
func (w written) group() string { return schema.FromAPIVersionAndKind(w.APIVersion, w.Kind).Group }

// title is "RolloutPolicy shop/web".
func (w written) title() string { return w.Kind + " " + join("/", w.Namespace, w.Name) }

// place is "policies/web.yaml:14".
func (w written) place() string { return fmt.Sprintf("%s:%d", w.file, w.Line) }

// A wanted says which manifest is meant.
type wanted struct {
	// noun is what it is called: "Cluster".
	noun string
	// kinds by API group.
	kinds map[string][]string
	// name, as "web" or "shop/web"; empty: whatever its name.
	name string
}

func (w wanted) kind(m written) bool { return slices.Contains(w.kinds[m.group()], m.Kind) }

func (w wanted) named(m written) bool {
	namespace, name, both := strings.Cut(w.name, "/")
	if !both {
		namespace, name = m.Namespace, w.name
	}
	return w.name == "" || m.Name == name && (m.Namespace == namespace || both && namespace == "default" && m.Namespace == "")
}

// nowhere says that there is no such manifest, and which there are.
func (w wanted) nowhere(all []written, root string) string {
	names := make([]string, len(all))
	for i, m := range all {
		names[i] = join("/", m.Namespace, m.Name)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	switch {
	case len(all) == 0:
		return fmt.Sprintf("there is no manifest of a %s in %s", w.noun, root)
	case w.name == "":
		return fmt.Sprintf("which %s? There is %s", w.noun, fewOf(names, fewNames))
	}
	hint := manifest.DidYouMean(w.name, names)
	if hint == "" {
		hint = "; there is " + fewOf(names, fewNames)
	}
	return fmt.Sprintf("no %s %q in %s%s", w.noun, w.name, root, hint)
}

// manifests are those below a directory of the work tree that are of a kind, by file. unread is a hint at files that are
// no YAML; hidden directories are not looked into.
func (h *history) manifests(below string, of func(written) bool) (all []written, unread string, err error) {
	var broken []string
	err = filepath.WalkDir(filepath.Join(h.root, filepath.FromSlash(below)), func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && path != h.root:
			return fs.SkipDir
		case !entry.Type().IsRegular() || !slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(path)):
			return nil
		}
		name, err := filepath.Rel(h.root, path)
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
			if w := (written{m, filepath.ToSlash(name)}); of(w) {
				all = append(all, w)
			}
		}
		return nil
	})
	if err != nil {
		return nil, "", fmt.Errorf("looking for manifests: %w", err)
	}
	if len(broken) > 0 {
		unread = " (not read, because they are no YAML: " + fewOf(broken, 3) + ")"
	}
	return all, unread, nil
}

// findManifest returns the one manifest that is meant, which lies in the work tree around dir. An empty dir is the whole work tree
// around the current directory.
func findManifest(dir string, w wanted) (*history, written, error) {
	h, err := openHistory(cmp.Or(dir, "."))
	if err != nil {
		return nil, written{}, err
	}
	if h.bare {
		return nil, written{}, errors.New("this Git repository has no work tree to edit")
	}
	below := "."
	if dir != "" {
		below = h.below
	}
	all, unread, err := h.manifests(below, w.kind)
	if err != nil {
		return nil, written{}, err
	}
	found := slices.DeleteFunc(slices.Clone(all), func(m written) bool { return !w.named(m) })
	switch len(found) {
	case 0:
		return nil, written{}, fmt.Errorf("%s%s", w.nowhere(all, h.root), unread)
	case 1:
		return h, found[0], nil
	}
	places := make([]string, len(found))
	for i, m := range found {
		places[i] = m.title() + " in " + m.place()
	}
	return nil, written{}, fmt.Errorf("which of these? %s (narrow it down by name, --dir or --kind)", fewOf(places, fewNames))
}
