package policy

import "github.com/accord-dev/accord/api/manifest"

// hints maps field names that Karmada does not have but that users write: some appear in public repositories and
// notes, where API servers dropped them silently; others are the terms of other tools. The table is read-only.
var hints = manifest.Hints{
	"staticClusterWeight": "staticWeightList",
	"weights":             "staticWeightList",
	"nnamespace":          "namespace",
	"clusters":            "clusterNames",
	"clusterSelector":     "labelSelector",
	"excludeClusters":     "exclude",
	"tolerations":         "clusterTolerations",
	"overrides":           "overrideRules",
	"rules":               "overrideRules",
	"op":                  "operator",
	"suspend":             "suspension",
	"suspended":           "suspension",
	"plaintextOverrider":  "plaintext",
	"jsonpatch":           "plaintext",

	"replicasOverrider":  plaintextInstead + `"/spec/replicas"`,
	"replicaOverrider":   plaintextInstead + `"/spec/replicas"`,
	"resourcesOverrider": plaintextInstead + `"/spec/template/spec/containers/0/resources"`,
	"resourceOverrider":  plaintextInstead + `"/spec/template/spec/containers/0/resources"`,
	"envOverrider":       plaintextInstead + `"/spec/template/spec/containers/0/env"`,
	"envs":               plaintextInstead + `"/spec/template/spec/containers/0/env"`,
	"namespaceOverrider": "there is no such overrider; an object in another namespace is another object",
}

const plaintextInstead = "there is no such overrider; write plaintext with path "
