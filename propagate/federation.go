package propagate

import (
	"fmt"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/status/interpret"
)

// Declared is the input with what a Federation says: its name, what it never propagates, and the health of kinds.
func (in Input) Declared(fed *v1alpha1.Federation) Input {
	in.Federation = fed.Namespace + "/" + fed.Name
	in.Skip = Skip{Namespaces: fed.Spec.SkippedNamespaces, APIs: fed.Spec.SkippedAPIs}
	in.Health = nil
	for i, h := range fed.Spec.HealthCheckExprs {
		in.Health = append(in.Health, interpret.HealthExprs{
			At:         manifest.Origin{Path: fmt.Sprintf("Federation %s spec.healthCheckExprs[%d]", in.Federation, i)},
			APIVersion: h.APIVersion, Kind: h.Kind, Current: h.Current, InProgress: h.InProgress, Failed: h.Failed,
		})
	}
	return in
}
