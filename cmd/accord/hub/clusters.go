package hub

import (
	"slices"
	"strings"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/text"
)

// NotBeingDeleted are the clusters without those that are being removed: those have left the fleet, as the controllers see it.
func NotBeingDeleted(clusters []v1alpha1.Cluster) []v1alpha1.Cluster {
	return slices.DeleteFunc(slices.Clone(clusters), func(c v1alpha1.Cluster) bool { return c.DeletionTimestamp != nil })
}

// DeletionNote says on what a Cluster waits that is being deleted.
func DeletionNote(c *v1alpha1.Cluster) string {
	if slices.Contains(c.Finalizers, v1alpha1.RecordRemovalFinalizer) {
		return "goes when accord wrote down what stays there: a minute at most, if it runs"
	}
	return text.Join(" ", "kept by", strings.Join(c.Finalizers, ", "))
}
