package rendered

import (
	"bytes"
	"fmt"
	"io"
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
	doc, err := text.ManifestNode(o.Manifest)
	if err != nil {
		return err
	}
	if o.redacted {
		flowLists(fieldOf(doc, "data"), fieldOf(doc, "stringData"), fieldOf(fieldOf(doc, "metadata"), "annotations"))
	}
	b.WriteString("---\n")
	if explain {
		for _, line := range o.provenance(doc) {
			comment(b, line)
		}
	}
	return text.WriteManifest(b, doc, o.Manifest)
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
