// Package mirrored holds the objects of a Federation that the mirror publishes on the hub.
package mirrored

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/decision"
	"github.com/accord-dev/accord/render"
)

// State is the state of the mirror of a Federation on the hub.
type State struct {
	// Decisions identify the decision about each object that the mirror has.
	Decisions map[manifest.ID]string
	// Problem is the reason why nothing is mirrored; empty if nothing prevents it.
	Problem string

	objects   []render.Object                  // of the active plan
	manifests map[manifest.ID]*manifest.Packed // of objects; nil until something is mirrored
}

// Keep takes over the manifests of a plan that becomes active.
func (m *State) Keep(objects []render.Object) {
	m.objects, m.manifests = objects, nil
}

// Manifest returns the manifest of an object of the active plan, as Git has it; nil if there is none.
func (m *State) Manifest(id manifest.ID) *unstructured.Unstructured {
	if m.manifests == nil {
		m.manifests = make(map[manifest.ID]*manifest.Packed, len(m.objects))
		for _, o := range m.objects {
			m.manifests[o.ID()] = o.Manifest
		}
	}
	return m.manifests[id].Get()
}

// Object is one object that the mirror publishes.
type Object struct {
	Decision *decision.Decision
	Manifest *unstructured.Unstructured
	Shares   []Share
}

// Share is the version of an object that one decided cluster should run.
type Share struct {
	Cluster  string
	Digest   string
	Held     bool
	Rendered *propagate.Rendered // nil if it could not be rendered
}
