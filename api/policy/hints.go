package policy

import "github.com/accord-dev/accord/api/manifest"

// hints are the fields that people write and that Karmada never had, or has under another name: from policies found
// in public repositories, where the API server dropped them without a word. It is a table, and never written to.
var hints = manifest.Hints{
	"staticClusterWeight":   "staticWeightList",
	"staticWeights":         "staticWeightList",
	"clusterWeights":        "staticWeightList",
	"weights":               "staticWeightList",
	"nnamespace":            "namespace",
	"clusters":              "clusterNames",
	"clusterSelector":       "labelSelector",
	"excludeClusters":       "exclude",
	"targetClusterNames":    "clusterNames",
	"tolerations":           "clusterTolerations",
	"topologySpread":        "spreadConstraints",
	"overrides":             "overrideRules",
	"rules":                 "overrideRules",
	"op":                    "operator",
	"suspend":               "suspension",
	"suspended":             "suspension",
	"imagesOverrider":       "imageOverrider",
	"plaintextOverrider":    "plaintext",
	"replicasOverrider":     "there is no such overrider; write plaintext with path \"/spec/replicas\"",
	"replicaOverrider":      "there is no such overrider; write plaintext with path \"/spec/replicas\"",
	"resourcesOverrider":    "there is no such overrider; write plaintext with path \"/spec/template/spec/containers/0/resources\"",
	"resourceOverrider":     "there is no such overrider; write plaintext with path \"/spec/template/spec/containers/0/resources\"",
	"envOverrider":          "there is no such overrider; write plaintext with path \"/spec/template/spec/containers/0/env\"",
	"nodeSelectorOverrider": "there is no such overrider; write plaintext with path \"/spec/template/spec/nodeSelector\"",
	"namespaceOverrider":    "there is no such overrider; the namespace of an object is part of its name",
}
