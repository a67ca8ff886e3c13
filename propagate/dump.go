package propagate

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"golang.org/x/tools/txtar"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/fleet"
)

// Dump writes the whole Input as one text file (txtar) that Load reads: a bug report, and dropped into testdata a test.
// It has the parts input (federation and revision), objects.yaml, policies.yaml and fleet.yaml; above every manifest
// a comment says where it came from.
//
// No value of a Secret is written. Each becomes REDACTED-1, REDACTED-2 and so on: the same value has the same number
// throughout the file, so that "same" and "different" can still be told. Values that an override writes into the data
// of Secrets are treated alike. The digests of a plan made from the dump therefore differ where Secrets are placed.
func Dump(w io.Writer, in Input) error {
	var d dumper
	archive := &txtar.Archive{
		Comment: []byte("An input of accord: everything that a plan depends on.\nSecret values are numbered, not shown.\n\n"),
		Files: []txtar.File{
			{Name: headFile, Data: fmt.Appendf(nil, "federation: %s\nrevision: %s\n", in.Federation, in.Revision)},
			{Name: "objects.yaml", Data: d.objects(in)},
			{Name: "policies.yaml", Data: d.policies(in)},
			{Name: "fleet.yaml", Data: d.fleet(in.Fleet)},
		},
	}
	if d.err != nil {
		return fmt.Errorf("dumping the input: %w", d.err)
	}
	if _, err := w.Write(txtar.Format(archive)); err != nil {
		return fmt.Errorf("dumping the input: %w", err)
	}
	return nil
}

const headFile = "input"

// dumper writes documents; after the first error it does nothing more.
type dumper struct {
	out     bytes.Buffer
	secrets redactor
	err     error
}

// take is what was written since the last time.
func (d *dumper) take() []byte {
	text := bytes.Clone(d.out.Bytes())
	d.out.Reset()
	return text
}

// document writes one manifest. A line that would end the part of the archive cannot be in it: YAML indents strings.
func (d *dumper) document(origin manifest.Origin, object any) {
	text, err := yaml.Marshal(object)
	if err != nil {
		d.err = fmt.Errorf("%s: %w", origin, err)
	}
	d.out.WriteString("---\n")
	if at := origin.String(); at != "" {
		d.out.WriteString("# " + strings.ReplaceAll(at, "\n", " ") + "\n")
	}
	d.out.Write(text)
}

func (d *dumper) objects(in Input) []byte {
	for _, o := range in.Objects {
		u := o.Manifest
		if o.ID().GroupKind() == secretKind {
			u = d.secrets.secret(u)
		}
		d.document(o.Origin, u.Object)
	}
	return d.take()
}

func (d *dumper) policies(in Input) []byte {
	for _, p := range in.Policies {
		d.document(p.Origin, written(policy.Group+"/v1alpha1", strings.Fields(p.Title())[0], p.Meta, p.Spec))
	}
	for _, o := range in.Overrides {
		d.document(o.Origin, written(policy.Group+"/v1alpha1", strings.Fields(o.Title())[0], o.Meta, d.secrets.override(o).Spec))
	}
	return d.take()
}

func (d *dumper) fleet(clusters []fleet.Cluster) []byte {
	for _, c := range clusters {
		d.document(c.Origin, written(v1alpha1.GroupVersion.String(), "Cluster", policy.Meta{Name: c.Name, Labels: c.Labels},
			v1alpha1.ClusterSpec{Provider: c.Provider, Region: c.Region, Zones: c.Zones, Taints: c.Taints}))
	}
	return d.take()
}

// written is a manifest as it would be in a file.
func written(apiVersion, kind string, m policy.Meta, spec any) map[string]any {
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetAPIVersion(apiVersion)
	u.SetKind(kind)
	u.SetName(m.Name)
	if m.Namespace != "" {
		u.SetNamespace(m.Namespace)
	}
	if len(m.Labels) > 0 {
		u.SetLabels(m.Labels)
	}
	u.Object["spec"] = spec
	return u.Object
}
