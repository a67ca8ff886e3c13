package propagate

import (
	"fmt"
	"time"

	"golang.org/x/tools/txtar"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/render"
)

// head is the part "input" of a dump.
type head struct {
	Federation string `json:"federation,omitempty"`
	Revision   string `json:"revision,omitempty"`
	// Now in RFC 3339.
	Now  time.Time `json:"now,omitzero"`
	Skip `json:",inline"`
}

// Load reads what Dump wrote, or a case written by hand: every .yaml part is read as files in Git are, whatever its
// name, so that objects, policies and Clusters may stand where they read best. Origins are lines of these parts. The
// parts "input" (federation, revision, now, skippedNamespaces, skippedAPIs) and "previous" may be left out.
func Load(text []byte) (Input, error) {
	archive := txtar.Parse(text)
	tree, err := txtar.FS(archive)
	if err != nil {
		return Input{}, fmt.Errorf("reading the archive: %w", err)
	}
	objects, err := render.Build(tree, render.Options{})
	if err != nil {
		return Input{}, err
	}
	parts, err := Sort(objects)
	if err != nil {
		return Input{}, err
	}
	in := parts.Input()
	for _, f := range archive.Files {
		switch f.Name {
		case headFile:
			var h head
			if err := yaml.UnmarshalStrict(f.Data, &h); err != nil {
				return Input{}, fmt.Errorf("reading the part %s: %w", f.Name, err)
			}
			in.Federation, in.Revision, in.Now, in.Skip = h.Federation, h.Revision, h.Now, h.Skip
		case previousFile:
			if err := yaml.UnmarshalStrict(f.Data, &in.Previous); err != nil {
				return Input{}, fmt.Errorf("reading the part %s: %w", f.Name, err)
			}
		}
	}
	return in, nil
}
