// Package store reads and writes the records that must survive a restart: Releases, Deliveries, Inventories and FederatedObjects,
// and the status of Federations and Clusters. Hub keeps them on the hub's API server; Memory keeps them in the process
// when there is no hub.
package store

import (
	"context"
	"fmt"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// Store holds the records of all Federations. Only one process writes to it.
type Store interface {
	// Put creates or updates obj with the labels, the owner and the spec that it has here, and sets its UID and its
	// generation to the stored ones. An existing object keeps its status, which the caller has to know.
	Put(ctx context.Context, obj client.Object) error
	// PutWhole is Put for a FederatedObject or a Delivery, with the status that it has here, in one request. The caller computed the
	// status for the generation that it expects, and compares: somebody else may have changed the spec. With a UID, it only updates
	// the object with that UID: without that object it returns Conflict, and Invalid if another one has the name.
	PutWhole(ctx context.Context, obj client.Object) error
	// PutStatus replaces the whole status of obj in one request. It returns NotFound if obj does not exist, and Conflict for a Cluster
	// that has changed since it was read.
	PutStatus(ctx context.Context, obj client.Object) error
	// Get reads spec and status of a record.
	Get(ctx context.Context, obj client.Object) error
	// List fills list with the records of one Federation.
	List(ctx context.Context, list client.ObjectList, namespace, federation string) error
	// Replace makes spec and status of an existing record those of obj, and removes the fields that somebody else added.
	Replace(ctx context.Context, obj client.Object) error
	// IsKnown reports whether this process read or wrote the given resource version of obj. ok is false if it did neither
	// with any version.
	IsKnown(obj client.Object, version uint64) (known, ok bool)
	// IsWriting reports whether a write of obj has no answer yet, so that IsKnown does not know its version.
	IsWriting(obj client.Object) bool
	// Delete removes obj. Deleting an object that does not exist is no error.
	Delete(ctx context.Context, obj client.Object) error
}

// parts returns pointers to the spec and the status of a record. Users write the specs of Federations and Clusters: for
// these spec is nil. An Inventory has no status: for this status is nil.
func parts(obj client.Object) (spec, status any) {
	switch o := obj.(type) {
	case *v1alpha1.Release:
		return &o.Spec, &o.Status
	case *v1alpha1.Delivery:
		return &o.Spec, &o.Status
	case *v1alpha1.FederatedObject:
		return &o.Spec, &o.Status
	case *v1alpha1.Inventory:
		return &o.Spec, nil
	case *v1alpha1.Federation:
		return nil, &o.Status
	case *v1alpha1.Cluster:
		return nil, &o.Status
	case *v1alpha1.Tenant:
		return nil, &o.Status
	}
	return nil, nil
}

// title names a record for people: "Release prod-4f2c9e1a0b3c".
func title(obj client.Object) string {
	return strings.TrimPrefix(fmt.Sprintf("%T", obj), "*v1alpha1.") + " " + obj.GetName()
}
