package dump

import (
	"fmt"
	"time"

	"golang.org/x/tools/txtar"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/control"
	"github.com/accord-dev/accord/propagate/decode"
	"github.com/accord-dev/accord/propagate/deschedule"
	"github.com/accord-dev/accord/propagate/eviction"
	"github.com/accord-dev/accord/propagate/exclude"
	"github.com/accord-dev/accord/render"
)

// head is the part "input".
type head struct {
	Federation string `json:"federation,omitempty"`
	Revision   string `json:"revision,omitempty"`
	// Now in RFC 3339.
	Now          time.Time `json:"now,omitzero"`
	exclude.Skip `json:",inline"`
	// Failover reports whether the Federation enables failover.
	Failover bool `json:"failover,omitempty"`
	// Evictions are the tasks of each object.
	Evictions []objectEvictions `json:"evictions,omitempty"`
	// Unschedulable are the replicas that the descheduler may move.
	Unschedulable []deschedule.Copy `json:"unschedulable,omitempty"`
	// Declared has the Clusters as Git declares them; the other Clusters of fleet.yaml are the hub's.
	Declared control.Declared `json:"declared,omitzero"`
}

// objectEvictions are the evictions of one object.
type objectEvictions struct {
	ID    manifest.ID    `json:"id"`
	Tasks eviction.Tasks `json:"tasks"`
}

// Read reads the output of Write, or a case written by hand. It reads every .yaml part as a file in Git, whatever the name
// of the part, so objects, policies and Clusters may stand where they read best; origins are lines of these parts. A case
// may omit the parts "input" (federation, revision, now, skippedNamespaces, skippedAPIs, evictions, unschedulable) and "previous".
func Read(text []byte) (propagate.Input, error) {
	archive := txtar.Parse(text)
	tree, err := txtar.FS(archive)
	if err != nil {
		return propagate.Input{}, fmt.Errorf("reading the archive: %w", err)
	}
	objects, err := render.Build(tree, render.Options{})
	if err != nil {
		return propagate.Input{}, err
	}
	parts, err := decode.Sort(objects)
	if err != nil {
		return propagate.Input{}, err
	}
	in := parts.Input()
	for _, f := range archive.Files {
		switch f.Name {
		case headFile:
			var h head
			if err := yaml.UnmarshalStrict(f.Data, &h); err != nil {
				return propagate.Input{}, fmt.Errorf("reading the part %s: %w", f.Name, err)
			}
			in.Federation, in.Revision, in.Now, in.Skip, in.Declared = h.Federation, h.Revision, h.Now, h.Skip, h.Declared
			in.Failover, in.Unschedulable = h.Failover, h.Unschedulable
			for _, e := range h.Evictions {
				if in.Evictions == nil {
					in.Evictions = map[manifest.ID][]v1alpha1.GracefulEvictionTask{}
				}
				in.Evictions[e.ID] = e.Tasks
			}
		case previousFile:
			if err := yaml.UnmarshalStrict(f.Data, &in.Previous); err != nil {
				return propagate.Input{}, fmt.Errorf("reading the part %s: %w", f.Name, err)
			}
		}
	}
	return in, nil
}
