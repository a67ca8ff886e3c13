package importer

import (
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
)

// File is one file of the directory.
type File struct {
	Path   string // with slashes
	Object *unstructured.Unstructured
}

// clusterScoped is the directory of objects without a namespace; no namespace has this name.
const clusterScoped = "_cluster"

// Files returns the files of the directory: NAMESPACE/KIND/NAME.yaml for each object and policy, and a kustomization in each
// NAMESPACE. A Namespace is among the objects of its namespace.
func (r *Result) Files() (files []File) {
	resources := map[string][]any{}
	add := func(u *unstructured.Unstructured) {
		f := File{Path(manifest.IDOf(u)), u}
		files = append(files, f)
		dir, below, _ := strings.Cut(f.Path, "/")
		resources[dir] = append(resources[dir], below)
	}
	for _, o := range r.Objects {
		add(o.Manifest)
	}
	for _, p := range r.Policies {
		add(p)
	}
	for dir, list := range resources {
		slices.SortFunc(list, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
		files = append(files, File{path.Join(dir, "kustomization.yaml"), &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization", "resources": list,
		}}})
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return files
}

// Path returns the path of the file of an object: NAMESPACE/KIND/NAME.yaml.
func Path(id manifest.ID) string {
	return path.Join(directory(id), kindDirectory(id), fileName(id.Name))
}

// directory returns the directory of a namespace.
func directory(id manifest.ID) string {
	switch {
	case id.Namespace != "":
		return id.Namespace
	case id.Group == "" && id.Kind == "Namespace":
		return id.Name
	}
	return clusterScoped
}

// kindDirectory returns the directory of a kind. Two groups may have the same kind: the group of those that Kubernetes does not have is
// in the name.
func kindDirectory(id manifest.ID) string {
	kind := strings.ToLower(id.Kind)
	if isBuiltin(id.Group) || id.Group == "policy.karmada.io" {
		return kind
	}
	return kind + "." + id.Group
}

// isBuiltin reports whether a group is one of Kubernetes, in which no kind is twice.
func isBuiltin(group string) bool {
	return slices.Contains([]string{
		"", "apps", "batch", "autoscaling", "policy", "admissionregistration.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io",
		"flowcontrol.apiserver.k8s.io", "networking.k8s.io", "node.k8s.io", "rbac.authorization.k8s.io", "scheduling.k8s.io", "storage.k8s.io",
	}, group)
}

// maxFileName leaves room for the extension: file systems allow 255 bytes.
const maxFileName = 200

// fileName returns the name of the file of an object. A digest keeps apart the names that no file can have, as those of RBAC with a
// colon, names that are too long, and names that only differ in capitals.
func fileName(name string) string {
	file := strings.NewReplacer(":", "-", "/", "-", "\\", "-").Replace(strings.ToLower(name))
	file = file[:min(len(file), maxFileName)]
	if file != name {
		file += "-" + digest(name)
	}
	return file + ".yaml"
}
