package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is accord.dev/v1alpha1.
var GroupVersion = schema.GroupVersion{Group: "accord.dev", Version: "v1alpha1"}

// AddToScheme registers the kinds of this package in s.
func AddToScheme(s *runtime.Scheme) error {
	s.AddKnownTypes(GroupVersion,
		&Federation{}, &FederationList{},
		&Cluster{}, &ClusterList{},
		&Release{}, &ReleaseList{},
		&Delivery{}, &DeliveryList{},
		&DeliveryReport{}, &DeliveryReportList{},
		&FederatedObject{}, &FederatedObjectList{},
		&Tenant{}, &TenantList{},
	)
	metav1.AddToGroupVersion(s, GroupVersion)
	return nil
}
