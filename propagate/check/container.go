package check

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// container has the fields of one container that checks read.
type container struct {
	name, image string
	pointer     string // JSON pointer of the container
	field       string // its path as users write it
}

// containers returns one list of containers ("containers", "initContainers") of the kinds in which image and word
// overriders look for them (Karmada §3.3).
func containers(u *unstructured.Unstructured, list string) []container {
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
	var all []container
	for i, item := range items {
		fields, _ := item.(map[string]any)
		name, _ := fields["name"].(string)
		image, _ := fields["image"].(string)
		all = append(all, container{
			name: name, image: image,
			pointer: fmt.Sprintf("/%s/%d", strings.Join(path, "/"), i), field: fmt.Sprintf("%s[%d]", strings.Join(path, "."), i),
		})
	}
	return all
}

// registryOf returns the registry of an image; empty for the default one.
func registryOf(image string) string {
	first, _, below := strings.Cut(image, "/")
	if below && (strings.ContainsAny(first, ".:") || first == "localhost") {
		return first
	}
	return ""
}

// repositoryOf returns an image without tag and digest.
func repositoryOf(image string) string {
	image, _, _ = strings.Cut(image, "@")
	if i := strings.LastIndexByte(image, ':'); i > strings.LastIndexByte(image, '/') {
		image = image[:i]
	}
	return image
}
