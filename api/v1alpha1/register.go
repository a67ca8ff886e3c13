package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is accord.dev/v1alpha1.
var GroupVersion = schema.GroupVersion{Group: "accord.dev", Version: "v1alpha1"}

// WholeVersion is a second version of FederatedObject and Delivery, which accord alone uses, to write spec and status in one request.
// With the status subresource, an API server drops the status of such a write; this version does not have the subresource.
// Objects are stored and read as v1alpha1. A write through WholeVersion that changes the status alone raises the generation, too.
var WholeVersion = schema.GroupVersion{Group: GroupVersion.Group, Version: "v1alpha1-whole"}

// AddToScheme registers the kinds of this package in s.
func AddToScheme(s *runtime.Scheme) error {
	s.AddKnownTypes(GroupVersion,
		&Federation{}, &FederationList{},
		&Cluster{}, &ClusterList{},
		&Release{}, &ReleaseList{},
		&Delivery{}, &DeliveryList{},
		&DeliveryReport{}, &DeliveryReportList{},
		&FederatedObject{}, &FederatedObjectList{},
		&Inventory{}, &InventoryList{},
		&Tenant{}, &TenantList{},
		&ResourceRegistry{}, &ResourceRegistryList{},
	)
	metav1.AddToGroupVersion(s, GroupVersion)
	return nil
}
