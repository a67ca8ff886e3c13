// Package install prints the manifests that run accord on a hub.
package install

import (
	"io"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/accord-dev/accord/api/admission"
	"github.com/accord-dev/accord/charts"
	"github.com/accord-dev/accord/cmd/accord/text"
)

// Write writes the manifests as one YAML stream: CustomResourceDefinitions, admission policies, then the chart.
func Write(out io.Writer, namespace string, v *charts.Values, crds []*apiextensionsv1.CustomResourceDefinition) error {
	manifests, err := charts.Accord(namespace, v)
	if err != nil {
		return err
	}
	if err := text.Manifests(out, crds); err != nil {
		return err
	}
	_, err = io.WriteString(out, "---\n"+admission.Manifests+"---\n"+manifests)
	return err
}
