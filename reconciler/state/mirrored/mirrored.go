// Package mirrored holds the objects of a Federation that the mirror publishes on the hub.
package mirrored

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/render"
)

// State is the state of the mirror of a Federation on the hub.
type State struct {
	// Manifests are those of the active plan.
	Manifests map[manifest.ID]*unstructured.Unstructured
	// Decisions identify the decision about each object that the mirror has.
	Decisions map[manifest.ID]string
	// Problem is the reason why nothing is mirrored; empty if nothing prevents it.
	Problem string
}

// Keep takes over the manifests of a plan that becomes active.
func (m *State) Keep(objects []render.Object) {
	m.Manifests = make(map[manifest.ID]*unstructured.Unstructured, len(objects))
	for _, o := range objects {
		m.Manifests[o.ID()] = o.Manifest
	}
}

// Object is one object that the mirror publishes.
type Object struct {
	Decision *propagate.Decision
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
