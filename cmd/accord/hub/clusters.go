package hub

import (
	"slices"
	"strings"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/text"
)

// NotBeingDeleted returns the clusters that are not being deleted. The controllers no longer count the others to the fleet.
func NotBeingDeleted(clusters []v1alpha1.Cluster) []v1alpha1.Cluster {
	return slices.DeleteFunc(slices.Clone(clusters), func(c v1alpha1.Cluster) bool { return c.DeletionTimestamp != nil })
}

// DeletionNote returns the reason why a Cluster that is being deleted still exists.
func DeletionNote(c *v1alpha1.Cluster) string {
	if slices.Contains(c.Finalizers, v1alpha1.RecordRemovalFinalizer) {
		return "waits until the controllers record the objects that stay there (at most a minute)"
	}
	return text.Join(" ", "kept by", strings.Join(c.Finalizers, ", "))
}
