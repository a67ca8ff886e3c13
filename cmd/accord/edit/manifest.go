// Package edit changes single fields of manifests in a file as a careful person would: the lines of that field are
// written anew, and all else stays as it is, comments, order and spaces included. Where a field stands in braces
// ({name: web}) the braces are written anew.
//
// It is text in, text out. What it made is read again and compared with what was meant; a file in which that is not the
// same is refused, and nothing is lost.
package edit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"go.yaml.in/yaml/v3"
)

// Manifest is one object in a file of YAML, also in a List.
type Manifest struct {
	APIVersion, Kind, Namespace, Name string
	// Line of the file at which it begins, from 1.
	Line int

	file     []byte
	document int        // of the file, from 0
	item     int        // of a List, from 0; -1 outside of one
	root     *yaml.Node // the mapping that is the object
}

// Read finds the manifests of a file. What is no Kubernetes object is left out; the error is that the file is no YAML.
func Read(file []byte) ([]Manifest, error) {
	documents, err := parse(file)
	if err != nil {
		return nil, err
	}
	var all []Manifest
	for i, root := range documents {
		if items := value(root, "items"); items != nil && items.Kind == yaml.SequenceNode {
			for j, item := range items.Content {
				all = append(all, manifest(file, i, j, item))
			}
			continue
		}
		all = append(all, manifest(file, i, -1, root))
	}
	return slices.DeleteFunc(all, func(m Manifest) bool { return m.APIVersion == "" || m.Kind == "" }), nil
}

// parse is the top of every document; nil for an empty one.
func parse(file []byte) ([]*yaml.Node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(file))
	var all []*yaml.Node
	for {
		var document yaml.Node
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading YAML: %w", err)
		}
		if len(document.Content) == 0 {
			document.Content = []*yaml.Node{{Kind: yaml.ScalarNode, Tag: "!!null"}}
		}
		all = append(all, document.Content[0])
	}
}

func manifest(file []byte, document, item int, root *yaml.Node) Manifest {
	m := Manifest{file: file, document: document, item: item, root: root, Line: root.Line}
	m.APIVersion, _ = m.Get("apiVersion")
	m.Kind, _ = m.Get("kind")
	m.Namespace, _ = m.Get("metadata", "namespace")
	m.Name, _ = m.Get("metadata", "name")
	return m
}

// Get is the text of a field, and whether it is there. An element of path that meets a list is the name of the item in
// it. A field that is no scalar has no text.
func (m Manifest) Get(path ...string) (string, bool) {
	at := m.root
	for _, step := range path {
		if at = value(at, step); at == nil {
			return "", false
		}
	}
	if at.Kind == yaml.ScalarNode && at.Tag != "!!null" {
		return at.Value, true
	}
	return "", at.Tag != "!!null"
}

// value is what a mapping has under a key, or the item of a list with that name; nil when there is none.
func value(node *yaml.Node, step string) *yaml.Node {
	switch node.Kind {
	case yaml.MappingNode:
		if i := position(node, step); i >= 0 {
			return node.Content[i+1]
		}
	case yaml.SequenceNode:
		for _, item := range node.Content {
			if name := value(item, "name"); name != nil && name.Value == step {
				return item
			}
		}
	}
	return nil
}

// position of a key in the content of a mapping, -1 when it is not there.
func position(mapping *yaml.Node, key string) int {
	for i := 0; i < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return i
		}
	}
	return -1
}

// Names of the items of a list, in order. It is empty when there is no such list.
func (m Manifest) Names(path ...string) []string {
	at := m.root
	for _, step := range path {
		if at = value(at, step); at == nil {
			return nil
		}
	}
	var all []string
	for _, item := range at.Content {
		if name := value(item, "name"); name != nil {
			all = append(all, name.Value)
		}
	}
	return all
}
