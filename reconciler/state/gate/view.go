// Package gate holds the inputs of the gates of staged rollouts.
package gate

import (
	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate/stage"
	"github.com/accord-dev/accord/status"
	"github.com/accord-dev/accord/status/kind"
)

// View has the objects of one rollout on a cluster.
type View struct {
	Items   []stage.Item
	Live    []stage.Live
	Health  stage.Health
	Message string
}

func (s *View) Add(id manifest.ID, digest, version string, r status.Report, gateStatus map[string]any) {
	if len(s.Items) == 0 {
		s.Health = stage.Healthy
	}
	s.Items = append(s.Items, stage.Item{ID: id, Digest: digest})
	s.Live = append(s.Live, stage.Live{ID: id, Version: version, Status: gateStatus})
	health := stage.Progressing
	switch observed := !r.Observes || r.ObservedGeneration >= r.Generation; {
	case observed && r.Health == kind.Healthy:
		return
	case observed && r.Health == kind.Failed:
		health = stage.Failed
	}
	if s.Health != stage.Failed || health == stage.Failed && s.Message == "" {
		s.Health = health
		s.Message = id.String()
		if r.Message != "" {
			s.Message += ": " + r.Message
		}
	}
}
