package propagate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
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
// It has the parts input (federation, revision, time, what is skipped), objects.yaml, policies.yaml, fleet.yaml and previous;
// above every manifest a comment says where it came from.
//
// No value of a Secret is written. Each becomes REDACTED-1, REDACTED-2 and so on: the same value has the same number
// throughout the file, so that "same" and "different" can still be told. Values that an override writes into the data
// of Secrets are treated alike. The digests of a plan made from the dump therefore differ where Secrets are placed.
func Dump(w io.Writer, in Input) error {
	var d dumper
	archive := &txtar.Archive{
		Comment: []byte("An input of accord: everything that a plan depends on.\nSecret values are numbered, not shown.\n\n"),
		Files: []txtar.File{
			{Name: headFile, Data: d.plain(head{in.Federation, in.Revision, in.Now, in.Skip})},
			{Name: "objects.yaml", Data: d.objects(in)},
			{Name: "policies.yaml", Data: d.policies(in)},
			{Name: "fleet.yaml", Data: d.fleet(in.Fleet)},
			{Name: previousFile, Data: d.plain(d.previous(in))},
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

// The parts that are no manifests.
const (
	headFile     = "input"
	previousFile = "previous"
)

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

// plain writes a value that is no manifest.
func (d *dumper) plain(value any) []byte {
	text, err := yaml.Marshal(value)
	d.err = errors.Join(d.err, err)
	return text
}

// previous is without the digests of Secrets: somebody could try values until one fits.
func (d *dumper) previous(in Input) []Previous {
	previous := slices.Clone(in.Previous)
	for i := range previous {
		if previous[i].ID.IsSecret() {
			previous[i].Template = ""
		}
	}
	return previous
}

func (d *dumper) objects(in Input) []byte {
	for _, o := range in.Objects {
		u := o.Manifest
		if o.ID().IsSecret() {
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
	for _, t := range in.TaintPolicies {
		d.document(t.Origin, written(policy.Group+"/v1alpha1", "ClusterTaintPolicy", t.Meta, t.Spec))
	}
	for _, r := range in.Rebalancers {
		d.document(r.Origin, written("apps.karmada.io/v1alpha1", "WorkloadRebalancer", r.Meta, r.Spec))
	}
	for _, r := range in.Rollouts {
		d.document(r.Origin, writtenRollout(r))
	}
	for _, c := range in.Customizations {
		d.document(c.Origin, written(policy.ConfigGroup+"/v1alpha1", "ResourceInterpreterCustomization", c.Meta, c.Spec))
	}
	return d.take()
}

func (d *dumper) fleet(clusters []fleet.Cluster) []byte {
	for _, c := range clusters {
		spec, status := c.Declared()
		u := written(v1alpha1.GroupVersion.String(), "Cluster", policy.Meta{Name: c.Name, Labels: c.Labels}, spec)
		u["status"] = status
		d.document(c.Origin, u)
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
