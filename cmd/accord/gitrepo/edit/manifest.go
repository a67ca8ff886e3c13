// Package edit finds the Kubernetes manifests of a YAML file, and sets or removes single fields of them. The rest of the
// text stays as it was written, comments, order and spaces included. A file that cannot be edited safely is refused.
package edit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Manifest is one object of a YAML file, or one item of a List in it.
type Manifest struct {
	APIVersion, Kind, Namespace, Name string
	// Line of the file on which the object begins, from 1.
	Line int

	file     []byte
	document *yaml.Node // root of the document
	item     int        // index in a List, from 0; -1 outside of one
	root     *yaml.Node // the map that is the object
}

// Read returns the manifests of a file, without documents that are not Kubernetes objects. It returns an error if the file
// is not YAML.
func Read(file []byte) ([]Manifest, error) {
	documents, err := parse(file)
	if err != nil {
		return nil, err
	}
	var all []Manifest
	for _, root := range documents {
		if at := position(root, "items"); at >= 0 && root.Content[at].Kind == yaml.SequenceNode {
			for i, item := range root.Content[at].Content {
				all = append(all, manifest(file, root, i, item))
			}
			continue
		}
		all = append(all, manifest(file, root, -1, root))
	}
	return slices.DeleteFunc(all, func(m Manifest) bool { return m.APIVersion == "" || m.Kind == "" }), nil
}

// parse returns the roots of the documents that are not empty.
func parse(file []byte) ([]*yaml.Node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(file))
	var roots []*yaml.Node
	for {
		var document yaml.Node
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			return roots, nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading YAML: %w", err)
		}
		roots = append(roots, document.Content...)
	}
}

func manifest(file []byte, document *yaml.Node, item int, root *yaml.Node) Manifest {
	m := Manifest{file: file, document: document, item: item, root: root, Line: root.Line}
	m.APIVersion, _ = m.Get("apiVersion")
	m.Kind, _ = m.Get("kind")
	m.Namespace, _ = m.Get("metadata", "namespace")
	m.Name, _ = m.Get("metadata", "name")
	return m
}

// Get returns the text of a field, and whether the field is there. A step of the path that meets a list is the name of the
// item. A field that is not a scalar has no text.
func (m Manifest) Get(path ...string) (string, bool) {
	node := m.at(path)
	switch {
	case node == nil || node.Tag == "!!null":
		return "", false
	case node.Kind == yaml.ScalarNode:
		return node.Value, true
	}
	return "", true
}

// Names returns the names of the items of a list, in order. It is empty when there is no such list.
func (m Manifest) Names(path ...string) []string {
	node := m.at(path)
	if node == nil {
		return nil
	}
	var names []string
	for _, item := range node.Content {
		if at := position(item, "name"); at >= 0 {
			names = append(names, item.Content[at].Value)
		}
	}
	return names
}

// Values returns the scalars of a list, in order. It is empty when there is no such list.
func (m Manifest) Values(path ...string) []string {
	node := m.at(path)
	if node == nil || node.Kind != yaml.SequenceNode {
		return nil
	}
	var values []string
	for _, item := range node.Content {
		values = append(values, item.Value)
	}
	return values
}

// Items reads the items of a list into to, a pointer to a slice. Without the field it changes nothing.
func (m Manifest) Items(to any, path ...string) error {
	node := m.at(path)
	if node == nil || node.Tag == "!!null" {
		return nil
	}
	if err := node.Decode(to); err != nil {
		return fmt.Errorf("%s: %w", strings.Join(path, "."), err)
	}
	return nil
}

// In returns the manifest in an edited text of its file. Edits below the manifest and above other manifests leave its line as it is.
func (m Manifest) In(file []byte) (Manifest, error) {
	all, err := Read(file)
	if err != nil {
		return m, err
	}
	i := slices.IndexFunc(all, func(x Manifest) bool { return x.Line == m.Line })
	if i < 0 {
		return m, fmt.Errorf("no manifest begins in line %d any more", m.Line)
	}
	return all[i], nil
}

// at returns the node of a field, nil when there is none.
func (m Manifest) at(path []string) *yaml.Node {
	node := m.root
	for _, step := range path {
		at := position(node, step)
		if at < 0 {
			return nil
		}
		node = node.Content[at]
	}
	return node
}

// position returns the index in the content of a map of the value of a key, or in a list of the item with that name. It is
// -1 when there is none.
func position(node *yaml.Node, step string) int {
	switch node.Kind {
	case yaml.MappingNode:
		for i := 1; i < len(node.Content); i += 2 {
			if node.Content[i-1].Value == step {
				return i
			}
		}
	case yaml.SequenceNode:
		return slices.IndexFunc(node.Content, func(item *yaml.Node) bool {
			at := position(item, "name")
			return item.Kind == yaml.MappingNode && at >= 0 && item.Content[at].Value == step
		})
	}
	return -1
}
