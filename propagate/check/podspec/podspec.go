// Package podspec reads containers and images from manifests.
package podspec

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Container has the fields of one container that checks read.
type Container struct {
	Name, Image string
	Pointer     string // JSON pointer of the container
	Field       string // its path as users write it
}

// Containers returns one list of containers ("containers", "initContainers") of the kinds in which image and word
// overriders look for them (Karmada §3.3).
func Containers(u *unstructured.Unstructured, list string) []Container {
	var path []string
	switch u.GetKind() {
	case "Pod":
		path = []string{"spec", list}
	case "ReplicaSet", "Deployment", "DaemonSet", "StatefulSet", "Job":
		path = []string{"spec", "template", "spec", list}
	default:
		return nil
	}
	value, _, _ := unstructured.NestedFieldNoCopy(u.Object, path...)
	items, _ := value.([]any)
	var all []Container
	for i, item := range items {
		fields, _ := item.(map[string]any)
		name, _ := fields["name"].(string)
		image, _ := fields["image"].(string)
		all = append(all, Container{
			Name: name, Image: image,
			Pointer: fmt.Sprintf("/%s/%d", strings.Join(path, "/"), i), Field: fmt.Sprintf("%s[%d]", strings.Join(path, "."), i),
		})
	}
	return all
}

// Registry returns the registry of an image; empty for the default one.
func Registry(image string) string {
	first, _, below := strings.Cut(image, "/")
	if below && (strings.ContainsAny(first, ".:") || first == "localhost") {
		return first
	}
	return ""
}

// Repository returns an image without tag and digest.
func Repository(image string) string {
	image, _, _ = strings.Cut(image, "@")
	if i := strings.LastIndexByte(image, ':'); i > strings.LastIndexByte(image, '/') {
		image = image[:i]
	}
	return image
}
