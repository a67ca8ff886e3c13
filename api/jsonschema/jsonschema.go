// Package jsonschema has a JSON schema (draft-07) of each kind that people write in files for accord. Editors complete and
// check manifests with them. The schemas are generated from the Go types of packages policy and v1alpha1, with their
// comments; go test ./api/jsonschema -update writes them.
package jsonschema

import (
	"embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/accord-dev/accord/api/manifest"
)

//go:embed schemas
var schemas embed.FS

// Version is the API version of all kinds.
const Version = "v1alpha1"

// Kind is a kind that has a schema.
type Kind struct{ Group, Name string }

// All returns the kinds in display order.
func All() []Kind {
	return []Kind{
		{"accord.dev", "RolloutPolicy"},
		{"accord.dev", "RecoveryPlan"},
		{"accord.dev", "Federation"},
		{"accord.dev", "Cluster"},
		{"accord.dev", "Tenant"},
		{"policy.karmada.io", "PropagationPolicy"},
		{"policy.karmada.io", "ClusterPropagationPolicy"},
		{"policy.karmada.io", "OverridePolicy"},
		{"policy.karmada.io", "ClusterOverridePolicy"},
		{"policy.karmada.io", "ClusterTaintPolicy"},
		{"cluster.karmada.io", "Cluster"},
		{"config.karmada.io", "ResourceInterpreterCustomization"},
		{"apps.karmada.io", "WorkloadRebalancer"},
	}
}

// Find returns the kind with a name: "RolloutPolicy" or, as in kubectl, "cluster.cluster.karmada.io". Case does not matter.
// A name without a group is the first such kind of all. The error has the nearest name.
func Find(all []Kind, name string) (Kind, error) {
	var names []string
	for _, k := range all {
		if strings.EqualFold(name, k.Name) || strings.EqualFold(name, k.Name+"."+k.Group) {
			return k, nil
		}
		names = append(names, k.Name)
	}
	if near := manifest.DidYouMean(name, names); near != "" {
		return Kind{}, fmt.Errorf("there is no schema of kind %q%s", name, near)
	}
	return Kind{}, fmt.Errorf("there is no schema of kind %q; \"accord schema\" lists the kinds", name)
}

// APIVersion returns "accord.dev/v1alpha1".
func (k Kind) APIVersion() string { return k.Group + "/" + Version }

// Path returns the slash-separated path of the schema as in the catalogs of CRD schemas that editors and kubeconform
// read: "accord.dev/rolloutpolicy_v1alpha1.json".
func (k Kind) Path() string {
	return k.Group + "/" + strings.ToLower(k.Name) + "_" + Version + ".json"
}

// Schema returns the text of the schema.
func (k Kind) Schema() ([]byte, error) {
	text, err := schemas.ReadFile("schemas/" + k.Path())
	if err != nil {
		return nil, fmt.Errorf("reading the embedded schema: %w", err)
	}
	return text, nil
}

// Title returns the title of a schema, which is the name of its kind.
func Title(schema []byte) (string, error) {
	s, err := decode(schema)
	return s.Title, err
}

// Purpose returns the first sentence of the description of a schema.
func Purpose(schema []byte) (string, error) {
	s, err := decode(schema)
	sentence, _, _ := strings.Cut(s.Description, ". ")
	return strings.TrimSuffix(sentence, "."), err
}

// heading is the part of a schema that people read first.
type heading struct{ Title, Description string }

func decode(schema []byte) (heading, error) {
	var s heading
	if err := json.Unmarshal(schema, &s); err != nil {
		return heading{}, fmt.Errorf("decoding a schema: %w", err)
	}
	return s, nil
}
