package reconciler

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// Kinds of events.
const (
	normal  = corev1.EventTypeNormal
	warning = corev1.EventTypeWarning
)

// listed joins the first few names and counts the others.
func listed(all []string, most int) string {
	if len(all) <= most {
		return strings.Join(all, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(all[:most], ", "), len(all)-most)
}
