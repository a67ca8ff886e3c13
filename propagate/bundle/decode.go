package bundle

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/delivery"
	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/compact"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/applyset"
	"github.com/accord-dev/accord/propagate/scripts"
)

// Names returns the names of the contents of an index, each once, in the order of the index.
func (i *Index) Names() []string {
	var names []string
	seen := map[string]bool{"": true} // a part without scripts names none
	add := func(name string) {
		if !seen[name] {
			names = append(names, name)
		}
		seen[name] = true
	}
	of := func(p *Part) {
		add(p.Scripts)
		for _, o := range p.Objects {
			add(o.SHA256)
		}
	}
	for j := range i.Parts {
		of(&i.Parts[j])
	}
	for j := range i.Trials {
		of(&i.Trials[j].Part)
	}
	return names
}

// Missing returns the names of Names that known does not have.
func (i *Index) Missing(known func(name string) bool) []string {
	return slices.DeleteFunc(i.Names(), known)
}

// Verify returns an error if a content is not the named one.
func Verify(name string, content []byte) error {
	if got := delivery.Digest(content); got != name {
		return fmt.Errorf("the content has the SHA-256 digest %s, and the index names %s", got, name)
	}
	return nil
}

// Follows returns an error if an agent that has the index last, which may be nil, must not take over the next one.
func (i *Index) Follows(last *Index, cluster string) error {
	switch {
	case i.Cluster != cluster:
		return fmt.Errorf("the index is for cluster %q, and this is the agent of %q", i.Cluster, cluster)
	case i.Epoch == "":
		return errors.New("the index has no epoch")
	case last != nil && last.Epoch == i.Epoch && i.Sequence < last.Sequence:
		return fmt.Errorf("the index has the sequence %d, and the last one had %d: it is an older one", i.Sequence, last.Sequence)
	}
	return nil
}

// Target returns the plan of the cluster. last has the objects that an earlier part was decoded to, by name, and may be nil: an unchanged
// object is the same *propagate.Rendered. It fails for a content that is not the object that the index says.
func (p *Part) Target(cluster string, contents Contents, last map[string]*propagate.Rendered) (propagate.ClusterPlan, error) {
	target := propagate.ClusterPlan{Cluster: cluster, Objects: make([]propagate.Placed, 0, len(p.Objects))}
	for i := range p.Objects {
		rendered, err := p.rendered(&p.Objects[i], contents, last)
		if err != nil {
			return propagate.ClusterPlan{}, fmt.Errorf("object %s of Federation %s/%s: %w", p.Objects[i].Entry, p.Namespace, p.Name, err)
		}
		o := &p.Objects[i]
		target.Objects = append(target.Objects, propagate.Placed{Rendered: rendered, Held: o.Held, Overwrite: o.Overwrite, Implied: o.Implied})
	}
	for _, f := range p.Failed {
		id, err := manifest.ParseEntry(f.Entry)
		if err != nil {
			return propagate.ClusterPlan{}, err
		}
		target.Failed = append(target.Failed, propagate.Failure{ID: id, Held: f.Held, Err: errors.New(f.Error)})
	}
	return target, nil
}

// rendered decodes one object and compares it with its description: an object of another Federation, or without accord's marks, would be
// applied and never found again.
func (p *Part) rendered(o *Object, contents Contents, last map[string]*propagate.Rendered) (*propagate.Rendered, error) {
	id, err := manifest.ParseEntry(o.Entry)
	if err != nil {
		return nil, err
	}
	if r := last[o.SHA256]; r != nil && r.ID == id && r.Digest == o.Digest {
		return r, nil
	}
	content, there := contents[o.SHA256]
	if !there {
		return nil, fmt.Errorf("its content %s is missing", o.SHA256)
	}
	u := &unstructured.Unstructured{}
	if err := json.Unmarshal(content, &u.Object); err != nil {
		return nil, fmt.Errorf("its content cannot be read: %w", err)
	}
	gvk := schema.GroupVersionKind{Group: id.Group, Version: o.Version, Kind: id.Kind}
	switch {
	case manifest.IDOf(u) != id || u.GroupVersionKind() != gvk:
		return nil, fmt.Errorf("its content is %s in %s", manifest.IDOf(u), u.GroupVersionKind().Version)
	case u.GetLabels()[v1alpha1.PartOfLabel] != applyset.ID(p.Namespace+"/"+p.Name):
		return nil, errors.New("its content is marked for another Federation")
	case u.GetAnnotations()[v1alpha1.DigestAnnotation] != o.Digest:
		return nil, errors.New("its content has the digest of another version")
	}
	return &propagate.Rendered{ID: id, GVK: gvk, Digest: o.Digest, Body: compact.Whole(content), Yields: o.Yields}, nil
}

// Interpreters returns the users' scripts about kinds of a part; last if they are the same.
func (p *Part) Interpreters(contents Contents, last scripts.Interpreters) (scripts.Interpreters, error) {
	if p.Scripts == "" {
		return scripts.Interpreters{}, nil
	}
	var wire scriptsOnTheWire
	if err := json.Unmarshal(contents[p.Scripts], &wire); err != nil {
		return scripts.Interpreters{}, fmt.Errorf("the scripts of Federation %s/%s cannot be read: %w", p.Namespace, p.Name, err)
	}
	customizations := make([]policy.Customization, len(wire.Customizations))
	for i, c := range wire.Customizations {
		customizations[i] = policy.Customization{Meta: policy.Meta{Name: c.Name}, Spec: c.Spec}
	}
	return last.Next(customizations, wire.Health)
}

// Undecided is the reason why an object stays that the hub does not know to be on the cluster.
const Undecided = "the hub has not decided about it yet"

// Withdraw returns the function that returns why an object that the part does not want stays on the cluster; empty if it is removed.
func (p *Part) Withdraw() func(manifest.ID) string {
	stays := make(map[string]string, len(p.Leaving))
	for _, l := range p.Leaving {
		stays[l.Entry] = l.Stays
	}
	return func(id manifest.ID) string {
		if why, decided := stays[id.Entry()]; decided {
			return why
		}
		return Undecided
	}
}

// Execution is a decoded part.
type Execution struct {
	Part         *Part
	Target       propagate.ClusterPlan
	Interpreters scripts.Interpreters
}

// Same reports whether two parts want the same. The inventory only concerns an agent that starts.
func (p *Part) Same(other *Part) bool {
	if p == nil || other == nil {
		return p == other
	}
	a, b := *p, *other
	a.Inventory, b.Inventory = nil, nil
	return equality.Semantic.DeepEqual(a, b)
}

// SameObjects reports whether two parts want the same, except for the objects that leave.
func (p *Part) SameObjects(other *Part) bool {
	if p == nil || other == nil {
		return p == other
	}
	a, b := *p, *other
	a.Leaving, b.Leaving, a.LeavingKinds, b.LeavingKinds = nil, nil, nil, nil
	return a.Same(&b)
}

// Moves reports whether the agent counts the replicas of an object that the cluster cannot schedule.
func (p *Part) Moves(id manifest.ID) bool {
	_, found := slices.BinarySearch(p.Movable, id.Entry())
	return found
}

// Urgent returns the objects that are applied before all others.
func (p *Part) Urgent() map[manifest.ID]bool {
	var all map[manifest.ID]bool
	for _, entry := range p.First {
		if id, err := manifest.ParseEntry(entry); err == nil {
			if all == nil {
				all = map[manifest.ID]bool{}
			}
			all[id] = true
		}
	}
	return all
}

// Evicted returns the objects that are removed before anything is applied.
func (p *Part) Evicted() []manifest.ID {
	var all []manifest.ID
	for _, l := range p.Leaving {
		if id, err := manifest.ParseEntry(l.Entry); err == nil && l.Evicted {
			all = append(all, id)
		}
	}
	return all
}
