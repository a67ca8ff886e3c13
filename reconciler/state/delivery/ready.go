package delivery

import (
	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// Ready reports whether the status of a Delivery is Ready.
func Ready(s v1alpha1.DeliveryStatus) bool {
	return meta.IsStatusConditionTrue(s.Conditions, fluxmeta.ReadyCondition)
}
