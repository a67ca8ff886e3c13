package rendered

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/accord-dev/accord/cmd/accord/text"
)

// printYAML prints a stream of documents, with a comment for each object that is not applied.
func (r *Rendering) printYAML(out io.Writer) error {
	var b bytes.Buffer
	comment(&b, r.verdict())
	for _, n := range r.Held {
		comment(&b, "held: "+n.String())
	}
	for _, n := range r.Failed {
		comment(&b, "not rendered: "+n.String())
	}
	for _, o := range r.Objects {
		if err := o.write(&b, r.explain); err != nil {
			return fmt.Errorf("writing %s: %w", o.Object, err)
		}
	}
	_, err := out.Write(b.Bytes())
	return err
}

func (o Object) write(b *bytes.Buffer, explain bool) error {
	doc := &yaml.Node{}
	if err := doc.Encode(o.Manifest); err != nil {
		return err
	}
	metadataFirst(doc)
	if o.redacted {
		flowLists(fieldOf(doc, "data"), fieldOf(doc, "stringData"), fieldOf(fieldOf(doc, "metadata"), "annotations"))
	}
	b.WriteString("---\n")
	if explain {
		for _, line := range o.provenance(doc) {
			comment(b, line)
		}
	}
	var manifest bytes.Buffer
	e := yaml.NewEncoder(&manifest)
	e.SetIndent(2)
	if err := errors.Join(e.Encode(doc), e.Close()); err != nil {
		return err
	}
	if !text.IsPrintable(manifest.Bytes()) { // only JSON can escape all characters
		return text.Encode(b, text.AsJSON, o.Manifest)
	}
	_, err := manifest.WriteTo(b)
	return err
}

// metadataFirst moves apiVersion, kind and metadata to the front.
func metadataFirst(doc *yaml.Node) {
	var first, rest []*yaml.Node
	for i := 0; i+1 < len(doc.Content); i += 2 {
		if slices.Contains([]string{"apiVersion", "kind", "metadata"}, doc.Content[i].Value) {
			first = append(first, doc.Content[i:i+2]...)
		} else {
			rest = append(rest, doc.Content[i:i+2]...)
		}
	}
	doc.Content = append(first, rest...)
}

// flowLists writes the lists in maps as [a, b].
func flowLists(mappings ...*yaml.Node) {
	for _, m := range mappings {
		for i := 1; m != nil && i < len(m.Content); i += 2 {
			if m.Content[i].Kind == yaml.SequenceNode {
				m.Content[i].Style = yaml.FlowStyle
			}
		}
	}
}

// comment writes every line of words as a comment.
func comment(b *bytes.Buffer, words string) {
	for line := range strings.Lines(words) {
		fmt.Fprintln(b, "# "+text.Printable(strings.TrimRight(line, "\r\n")))
	}
}
