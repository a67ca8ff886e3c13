package policy

import "github.com/accord-dev/accord/api/manifest"

// hints are the names that people write and that Karmada does not have: some were never there (found in public
// repositories and notes, where the API server dropped them without a word), some are what another tool calls it.
// The table is read, never written.
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
