package v1alpha1

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// IsDelivered reports whether accord delivered an object of a member. Controllers copy annotations to the objects that they create, but
// not the label of the ApplySet.
func IsDelivered(o metav1.Object) bool {
	return o.GetAnnotations()[DigestAnnotation] != "" && strings.HasPrefix(o.GetLabels()[PartOfLabel], "applyset-")
}
