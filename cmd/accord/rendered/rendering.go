// Package rendered prints the objects of one cluster as they would be applied.
package rendered

import (
	"fmt"
	"io"
	"slices"

	"k8s.io/apimachinery/pkg/util/json"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/cmd/accord/exit"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/render/override"
)

// Rendering is the objects of one cluster.
type Rendering struct {
	Cluster  string   `json:"cluster"`
	Revision string   `json:"revision"`
	Objects  []Object `json:"objects"`
	// Held are objects that are not applied now, on purpose.
	Held []Skipped `json:"held,omitempty"`
	// Failed are objects that could not be rendered; the cluster keeps their previous version.
	Failed []Skipped `json:"failed,omitempty"`
	// Redacted counts Secrets without their values.
	Redacted int `json:"redacted,omitempty"`

	explain bool
}

// DocumentKind implements text.Document.
func (*Rendering) DocumentKind() string { return "Rendering" }

// Object is one object as it would be applied.
type Object struct {
	Object string `json:"object"`
	// At is the place of the manifest in Git; empty for a namespace that accord creates for an object in it.
	At       string         `json:"at,omitempty"`
	Manifest map[string]any `json:"manifest"`
	// Share explains the number of replicas, Edits the overrides that changed something; with --explain only.
	Share string `json:"share,omitempty"`
	Edits []Edit `json:"edits,omitempty"`

	edits    []override.Edit
	redacted bool
}

// Edit is one change of an override.
type Edit struct {
	Path   string `json:"path"`
	Policy string `json:"policy"`
	Field  string `json:"field"`
	At     string `json:"at"`
}

// Skipped is an object that is not applied.
type Skipped struct {
	Object string `json:"object"`
	At     string `json:"at,omitempty"`
	Why    string `json:"why"`
}

// Options choose the objects of one cluster and how they are shown.
type Options struct {
	// Namespace limits the objects; empty means any.
	Namespace string
	Cluster   string
	// Explain adds where objects and fields come from.
	Explain bool
	// ShowSecrets keeps the values of Secrets.
	ShowSecrets bool
}

// New returns the named objects of the cluster, or all, in the order in which they are applied.
func New(p *load.PlannedTree, f Options, names []load.ObjectName) (*Rendering, error) {
	wanted, err := wantedObjects(p, names, f.Namespace, f.Cluster)
	if err != nil {
		return nil, err
	}
	for _, x := range p.Refusals(p.Plan, false) {
		return nil, &exit.Error{Code: 1, Err: &manifest.Error{Origin: x.At, Message: x.Message + ": " + x.Fix}}
	}
	r := &Rendering{Cluster: f.Cluster, Revision: p.Input.Revision, Objects: []Object{}, explain: f.Explain}
	target := p.ForCluster(f.Cluster)
	for _, placed := range target.Objects {
		switch {
		case !isSelected(wanted, f.Namespace, placed.ID):
		case placed.Held != "":
			r.Held = append(r.Held, Skipped{placed.ID.String(), placed.Origin.String(), placed.Held})
		default:
			o, err := newRenderedObject(p, f, placed)
			if err != nil {
				return nil, err
			}
			r.Objects = append(r.Objects, o)
			if o.redacted {
				r.Redacted++
			}
		}
	}
	for _, failed := range target.Failed {
		if isSelected(wanted, f.Namespace, failed.ID) {
			r.Failed = append(r.Failed, Skipped{failed.ID.String(), failed.Origin.String(), failed.Err.Error()})
		}
	}
	return r, nil
}

func newRenderedObject(p *load.PlannedTree, f Options, placed propagate.Placed) (Object, error) {
	o := Object{Object: placed.ID.String(), At: placed.Origin.String()}
	if err := json.Unmarshal(placed.Body.Bytes(), &o.Manifest); err != nil {
		return o, fmt.Errorf("reading %s as it was rendered: %w", placed.ID, err)
	}
	if o.redacted = placed.ID.IsSecret() && !f.ShowSecrets; o.redacted {
		redact(o.Manifest)
	}
	if !f.Explain {
		return o, nil
	}
	o.Share, o.edits = replicaShare(p, placed.ID, f.Cluster), placed.Edits
	for _, e := range placed.Edits {
		o.Edits = append(o.Edits, Edit{Path: e.Path, Policy: e.Policy, Field: e.Field, At: e.At.String()})
	}
	return o, nil
}

// replicaShare explains the number of replicas on the cluster, with the field of the policy.
func replicaShare(p *load.PlannedTree, id manifest.ID, cluster string) string {
	how, counted := p.Shares(id)[cluster]
	if !counted {
		return ""
	}
	by := p.Decision(id).Policy
	return fmt.Sprintf("%s: %s, %s", how, by, by.At("spec.placement.replicaScheduling"))
}

// String returns "apps/Deployment shop/web (apps/web.yaml:3): why".
func (n Skipped) String() string {
	return n.Object + text.WithPrefix(" (", text.WithSuffix(n.At, ")")) + ": " + n.Why
}

// verdict returns "eu-1 gets 12 objects (main@sha1:4f2c9e1...); 1 held; 1 could not be rendered".
func (r *Rendering) verdict() string {
	line := fmt.Sprintf("%s gets %s (%s)", r.Cluster, phrase.Count(len(r.Objects), "object"), r.Revision)
	if len(r.Held) > 0 {
		line += fmt.Sprintf("; %d held", len(r.Held))
	}
	if len(r.Failed) > 0 {
		line += fmt.Sprintf("; %d could not be rendered", len(r.Failed))
	}
	return line
}

func (r *Rendering) Print(out io.Writer, f text.Format) error {
	if f == text.AsJSON {
		return text.Encode(out, f, r)
	}
	return r.printYAML(out)
}

// wantedObjects returns the named objects, nil if none is named. It returns an error if one of them does not go to the cluster.
func wantedObjects(p *load.PlannedTree, names []load.ObjectName, namespace, cluster string) (map[manifest.ID]bool, error) {
	if len(names) == 0 {
		return nil, nil
	}
	wanted := map[manifest.ID]bool{}
	for _, name := range names {
		id, err := p.Find(name, namespace)
		if err != nil {
			return nil, err
		}
		d := p.Decision(id)
		for _, c := range d.Chosen {
			wanted[id] = wanted[id] || c.Cluster == cluster
		}
		for _, r := range d.Refused {
			if r.Cluster == cluster {
				return nil, fmt.Errorf("%s does not go to %s: %s (accord why %s -c %[2]s)", id, cluster, r.Why, name)
			}
		}
	}
	return wanted, nil
}

// isSelected reports whether an object of the cluster is printed.
func isSelected(wanted map[manifest.ID]bool, namespace string, id manifest.ID) bool {
	if wanted != nil {
		return wanted[id]
	}
	return namespace == "" || slices.Contains([]string{namespace}, id.Namespace) || id.Kind == "Namespace" && id.Name == namespace
}
