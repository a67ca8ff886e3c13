package text

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"go.yaml.in/yaml/v3"
)

// ManifestNode returns the YAML of a manifest, which begins with apiVersion, kind and metadata.
func ManifestNode(object map[string]any) (*yaml.Node, error) {
	doc := &yaml.Node{}
	if err := doc.Encode(object); err != nil {
		return nil, err
	}
	var first, rest []*yaml.Node
	for i := 0; i+1 < len(doc.Content); i += 2 {
		if slices.Contains([]string{"apiVersion", "kind", "metadata"}, doc.Content[i].Value) {
			first = append(first, doc.Content[i:i+2]...)
		} else {
			rest = append(rest, doc.Content[i:i+2]...)
		}
	}
	doc.Content = append(first, rest...)
	return doc, nil
}

// WriteManifest writes the YAML of an object. An object with characters that are not printable is written as JSON, which can escape them.
func WriteManifest(w io.Writer, doc *yaml.Node, object map[string]any) error {
	var manifest bytes.Buffer
	e := yaml.NewEncoder(&manifest)
	e.SetIndent(2)
	if err := errors.Join(e.Encode(doc), e.Close()); err != nil {
		return err
	}
	if !IsPrintable(manifest.Bytes()) {
		return EncodeForeign(w, AsJSON, object)
	}
	_, err := manifest.WriteTo(w)
	return err
}
