package bundle

import (
	"encoding/json"
	"slices"

	"github.com/accord-dev/accord/api/delivery"
	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/scripts"
	"github.com/accord-dev/accord/status/interpret"
)

// Contents are the contents that an index names, by SHA-256 digest.
type Contents map[string][]byte

// Encoder names contents. It computes the digest of an object once, for all clusters and parts that have the object. The zero Encoder is
// ready for use; it is not safe for concurrent use.
type Encoder struct {
	// Known reports whether the reader of the contents has one with a name: then its text is left out. Nil: it has none.
	Known         func(name string) bool
	named, before map[*propagate.Rendered]string
}

// Forget drops the digests of objects that no part had since the call of Forget before.
func (e *Encoder) Forget() { e.named, e.before = nil, e.named }

func (e *Encoder) name(r *propagate.Rendered) string {
	name, known := e.named[r]
	if known {
		return name
	}
	if name, known = e.before[r]; !known {
		name = delivery.Digest(r.Body.Bytes())
	}
	if e.named == nil {
		e.named = map[*propagate.Rendered]string{}
	}
	e.named[r] = name
	return name
}

// EncodeIndex encodes an index with parts that are encoded already.
func EncodeIndex(i Index, parts json.RawMessage) ([]byte, error) {
	return json.Marshal(struct {
		Index
		Parts json.RawMessage `json:"parts"` // in place of those of Index
	}{i, parts})
}

// AddTarget adds the objects of a plan to a part, and their contents to all.
func (e *Encoder) AddTarget(part *Part, target propagate.ClusterPlan, all Contents) {
	part.Objects = make([]Object, 0, len(target.Objects))
	for _, o := range target.Objects {
		name := e.name(o.Rendered)
		if _, added := all[name]; !added {
			all[name] = e.content(name, o.Rendered)
		}
		part.Objects = append(part.Objects, Object{
			Entry: o.ID.Entry(), Version: o.GVK.Version, Digest: o.Digest, SHA256: name, Size: o.Body.Len(),
			Held: o.Held, Overwrite: o.Overwrite, Implied: o.Implied, Yields: o.Yields,
		})
	}
	for _, f := range target.Failed {
		part.Failed = append(part.Failed, Failed{Entry: f.ID.Entry(), Held: f.Held, Error: f.Err.Error()})
	}
}

// content returns the text of an object; nil if the reader has it.
func (e *Encoder) content(name string, r *propagate.Rendered) []byte {
	if e.Known != nil && e.Known(name) {
		return nil
	}
	return r.Body.Bytes()
}

// Entries returns the inventory entries of objects, sorted.
func Entries(objects map[manifest.ID]bool) []string {
	var all []string
	for id := range objects {
		all = append(all, id.Entry())
	}
	slices.Sort(all)
	return all
}

// scriptsOnTheWire are the users' scripts about kinds.
type scriptsOnTheWire struct {
	Customizations []customization         `json:"customizations,omitempty"`
	Health         []interpret.HealthExprs `json:"health,omitempty"`
}

type customization struct {
	Name string                   `json:"name"`
	Spec policy.CustomizationSpec `json:"spec"`
}

// AddScripts adds the users' scripts about kinds to a part, and their content to all.
func AddScripts(part *Part, i scripts.Interpreters, all Contents) error {
	if i.ID == "" {
		return nil
	}
	wire := scriptsOnTheWire{Health: i.Health}
	for _, c := range i.Customizations {
		wire.Customizations = append(wire.Customizations, customization{c.Name, c.Spec})
	}
	content, err := json.Marshal(wire)
	if err != nil {
		return err
	}
	part.Scripts = delivery.Digest(content)
	all[part.Scripts] = content
	return nil
}
