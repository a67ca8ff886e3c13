package dump

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/deschedule"
	"github.com/accord-dev/accord/propagate/eviction"
	"github.com/accord-dev/accord/propagate/previous"
)

// Write writes the whole input as one text file (txtar) that Read reads. A user attaches it to a bug report; dropped into
// testdata it is a test. The file has the parts input (federation, revision, time, skipped namespaces and APIs, evictions),
// objects.yaml, policies.yaml, fleet.yaml and previous. A comment above each manifest names its origin.
//
// Write replaces every value of a Secret, and every value that an override writes into the data of Secrets, by
// REDACTED-1, REDACTED-2 and so on. Equal values have the same number throughout the file, so a reader still sees which
// values are the same. The digests of a plan made from the dump therefore differ where Secrets are placed.
func Write(w io.Writer, in propagate.Input) error {
	var d writer
	archive := &txtar.Archive{
		Comment: []byte("An input of accord: everything that a plan depends on.\nSecret values are numbered, not shown.\n\n"),
		Files: []txtar.File{
			{Name: headFile, Data: d.plain(head{in.Federation, in.Revision, in.Now, in.Skip, in.Failover, evictions(in), deschedule.Sorted(in.Unschedulable), in.Declared})},
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

// The parts of the file without manifests.
const (
	headFile     = "input"
	previousFile = "previous"
)

// writer collects documents and the first errors.
type writer struct {
	out     bytes.Buffer
	secrets redactor
	err     error
}

// take returns the text written since the last call, and forgets it.
func (d *writer) take() []byte {
	text := bytes.Clone(d.out.Bytes())
	d.out.Reset()
	return text
}

// document writes one manifest. No line of it can end the part of the archive, because YAML indents strings.
func (d *writer) document(origin manifest.Origin, object any) {
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

// plain returns a value other than a manifest as YAML.
func (d *writer) plain(value any) []byte {
	text, err := yaml.Marshal(value)
	d.err = errors.Join(d.err, err)
	return text
}

// previous returns the previous decisions without the digests of Secrets: a reader could try values until one fits.
func (d *writer) previous(in propagate.Input) []*previous.Decision {
	previous := slices.Clone(in.Previous)
	for i := range previous {
		if previous[i].ID.IsSecret() {
			redacted := *previous[i]
			redacted.Template = ""
			previous[i] = &redacted
		}
	}
	return previous
}

// evictions returns the evictions of all objects, sorted by object.
func evictions(in propagate.Input) []objectEvictions {
	var all []objectEvictions
	for _, id := range slices.SortedFunc(maps.Keys(in.Evictions), manifest.ID.Compare) {
		all = append(all, objectEvictions{id, eviction.Sorted(in.Evictions[id])})
	}
	return all
}

func (d *writer) objects(in propagate.Input) []byte {
	for _, o := range in.Objects {
		u := o.Manifest.Get()
		if o.ID().IsSecret() {
			u = d.secrets.secret(u)
		}
		d.document(o.Origin, u.Object)
	}
	return d.take()
}

func (d *writer) policies(in propagate.Input) []byte {
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
	for _, r := range in.Recoveries {
		d.document(r.Origin, written(policy.RolloutGroup+"/v1alpha1", "RecoveryPlan", r.Meta, r.Spec))
	}
	for _, c := range in.Customizations {
		d.document(c.Origin, written(policy.ConfigGroup+"/v1alpha1", "ResourceInterpreterCustomization", c.Meta, c.Spec))
	}
	return d.take()
}

func (d *writer) fleet(clusters []fleet.Cluster) []byte {
	for _, c := range clusters {
		spec, status := c.Declared()
		u := written(v1alpha1.GroupVersion.String(), "Cluster", policy.Meta{Name: c.Name, Labels: c.Labels}, spec)
		u["status"] = status
		d.document(c.Origin, u)
	}
	return d.take()
}

// written returns a policy or Cluster as the manifest that a file would have.
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
