// Package admission has the admission policies that the API server of a hub enforces for accord.
package admission

import (
	_ "embed"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// Manifests has the ValidatingAdmissionPolicies with their bindings, as YAML documents.
var Manifests = approver + "---\n" + agent

//go:embed approver.yaml
var approver string

//go:embed agent.yaml
var agent string

// Objects returns the objects of Manifests. An error means that the binary was built from a broken file.
func Objects() ([]*unstructured.Unstructured, error) {
	var all []*unstructured.Unstructured
	for document := range strings.SplitSeq(Manifests, "\n---\n") {
		u := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(document), &u.Object); err != nil {
			return nil, fmt.Errorf("decoding embedded admission policy: %w", err)
		}
		all = append(all, u)
	}
	return all, nil
}
