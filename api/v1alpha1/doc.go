// Package v1alpha1 has the kinds of the API group accord.dev, which users write and read on the hub. A Federation declares
// sources that are reconciled. A Release is the progress of one commit of them, a Delivery the state of one cluster, and a
// FederatedObject one template across clusters.
//
// +kubebuilder:object:generate=true
// +groupName=accord.dev
package v1alpha1
