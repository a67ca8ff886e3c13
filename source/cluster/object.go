package cluster

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/fence"
	"github.com/accord-dev/accord/render/unrender"
)

// clusterDir is the directory of objects without a namespace. No namespace has this name.
const clusterDir = "_cluster"

// pathOf returns the path of an object: "shop/Deployment.apps/web.json".
func pathOf(gk schema.GroupKind, name types.NamespacedName) string {
	dir := name.Namespace
	if dir == "" {
		dir = clusterDir
	}
	file := name.Name
	if strings.HasPrefix(file, ".") { // package render skips such files; "%" is in no name
		file = "%2E" + file[1:]
	}
	return path.Join(dir, gk.String(), file+".json")
}

// read returns the file of a live object; nil if the selection does not have it. A fenced workload has the replicas that it had before.
func (s Selection) read(u *unstructured.Unstructured) (*file, error) {
	if !s.has(u) {
		return nil, nil
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(unrender.Manifest(fence.Started(u)).Object); err != nil {
		return nil, fmt.Errorf("%s %s: %w", u.GetKind(), u.GetName(), err)
	}
	return newFile(pathOf(u.GroupVersionKind().GroupKind(), nameOf(u)), text.Bytes()), nil
}

func nameOf(u *unstructured.Unstructured) types.NamespacedName {
	return types.NamespacedName{Namespace: u.GetNamespace(), Name: u.GetName()}
}
