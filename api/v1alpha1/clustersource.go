package v1alpha1

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ClusterSource selects objects of a live cluster, which accord watches: a change there is a new revision. accord sends get, list and
// watch to the cluster and writes nothing there. The cluster gets no objects of the Federation. Objects that a controller owns, that
// Kubernetes creates by itself, and that accord delivered are left out.
//
// +kubebuilder:validation:XValidation:rule="[has(self.name), has(self.secretRef), has(self.inCluster) && self.inCluster].filter(x, x).size() == 1",message="set exactly one of name, secretRef and inCluster"
type ClusterSource struct {
	// Name of a Cluster of the hub. accord uses its credentials and its proxy.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name,omitempty"`
	// SecretRef names a Secret in the namespace of the Federation with the way to the cluster. It has the key kubeconfig, without
	// exec plugins and references to files; or the keys server, token and caBundle, and proxyURL if there is a proxy. A server with a
	// loopback, link-local or private address is refused unless --allow-source-networks of the controllers or spec.networks of the
	// Tenant allows it.
	// +kubebuilder:validation:XValidation:rule="has(self.name) && size(self.name) > 0",message="secretRef.name is required"
	SecretRef *corev1.LocalObjectReference `json:"secretRef,omitempty"`
	// InCluster reads the cluster in which the controllers run, with their ServiceAccount.
	InCluster bool `json:"inCluster,omitempty"`
	// Namespaces that are read, each with watches of its own. The default is all namespaces. kube-system, kube-public and
	// kube-node-lease are never read.
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=63
	// +kubebuilder:validation:items:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	// +listType=set
	Namespaces []string `json:"namespaces,omitempty"`
	// Kinds that are read: "Kind" of the core group, "group/Kind", or "group/*" for all kinds of a group; "policy.karmada.io/*" are
	// the policies of the cluster. The default are the namespaced workload kinds: ConfigMap, PersistentVolumeClaim, Service,
	// ServiceAccount, DaemonSet, Deployment, StatefulSet, HorizontalPodAutoscaler, CronJob, Ingress, NetworkPolicy,
	// PodDisruptionBudget, Role and RoleBinding. Secrets are read only if kinds has "Secret".
	// +kubebuilder:validation:MaxItems=128
	// +kubebuilder:validation:items:MaxLength=317
	// +kubebuilder:validation:items:Pattern=`^([A-Za-z][A-Za-z0-9]*|[a-z0-9]([-a-z0-9.]*[a-z0-9])?/([A-Za-z][A-Za-z0-9]*|\*))$`
	// +listType=set
	Kinds []string `json:"kinds,omitempty"`
	// LabelSelector selects the objects by their labels. Policies of policy.karmada.io are read whatever their labels.
	LabelSelector *metav1.LabelSelector `json:"labelSelector,omitempty"`
	// Exclude leaves out objects that the fields above select.
	Exclude *ClusterExclusion `json:"exclude,omitempty"`
}

// ClusterExclusion selects the objects of a live cluster that are not read. An object that one of the fields selects is left out.
type ClusterExclusion struct {
	// Namespaces are names of namespaces, or globs: "velero-*".
	// +kubebuilder:validation:MaxItems=128
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=63
	// +kubebuilder:validation:items:Pattern=`^[-a-z0-9*]+$`
	// +listType=set
	Namespaces []string `json:"namespaces,omitempty"`
	// Kinds are kinds, as in spec.sources[].cluster.kinds.
	// +kubebuilder:validation:MaxItems=128
	// +kubebuilder:validation:items:MaxLength=317
	// +kubebuilder:validation:items:Pattern=`^([A-Za-z][A-Za-z0-9]*|[a-z0-9]([-a-z0-9.]*[a-z0-9])?/([A-Za-z][A-Za-z0-9]*|\*))$`
	// +listType=set
	Kinds []string `json:"kinds,omitempty"`
	// LabelSelector selects objects by their labels.
	LabelSelector *metav1.LabelSelector `json:"labelSelector,omitempty"`
}

// ReadsLiveCluster reports whether a source is a live cluster.
func (s *FederationSpec) ReadsLiveCluster() bool {
	return slices.ContainsFunc(s.Sources, func(s Source) bool { return s.Cluster != nil })
}
