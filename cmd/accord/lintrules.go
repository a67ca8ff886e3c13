package main

import "github.com/accord-dev/accord/propagate"

// Codes of what lint itself finds: manifests that cannot be read, and what planning and rendering say of the rest.
const (
	codeInvalid    = "invalid"
	codeUnrendered = "cannot-render"
	codeNowhere    = "goes-nowhere"
)

// A lintRule is one thing that lint looks for.
type lintRule struct {
	Code     string
	Severity propagate.Severity
	// Short is one line, Help says what to do about it.
	Short, Help string
}

// lintRules are all there are.
func lintRules() []lintRule {
	return []lintRule{
		{codeInvalid, propagate.Error, "A manifest that cannot be read", "An unknown field, a value of the wrong type, or something that is written twice. Nothing is delivered until it is mended."},
		{codeUnrendered, propagate.Error, "An object that cannot be rendered for a cluster", "An override cannot be followed there. What runs there stays as it is until it is mended."},
		{codeNowhere, propagate.Note, "An object that goes to no cluster", "No policy selects it, no cluster fits, or it is of a kind that is never propagated."},
		{propagate.NotActedOn, propagate.Note, "A field that is known and has no effect in this version", "Nothing is refused for it, and nothing is done about it either."},
		{propagate.WithoutEffect, propagate.Note, "A field that has no effect by design", "It can be deleted."},
		{propagate.MatchesNothing, propagate.Note, "A policy or override that selects no object", "Compare apiVersion, kind, namespace and name of the selector with the manifest it is meant for."},
		{propagate.ClaimsNothing, propagate.Note, "A policy all of whose objects are claimed by others", "Delete it, or give it a higher priority."},
		{propagate.UnknownCluster, propagate.Note, "A cluster name that no Cluster has", "Compare it with the names of the declared Clusters."},
	}
}
