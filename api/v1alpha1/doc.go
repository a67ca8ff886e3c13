// Package v1alpha1 is what users write and read on the hub: the kinds of the API group accord.dev.
// The words are those of the design: a Federation is reconciled; a Release is one commit's journey through it;
// a Delivery is what one cluster received of it; a FederatedObject is one template across clusters.
//
// +kubebuilder:object:generate=true
// +groupName=accord.dev
package v1alpha1
