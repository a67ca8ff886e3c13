package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Cluster is a member cluster. Its spec has the schema of Karmada's cluster.karmada.io/v1alpha1 (Karmada §1.8). Karmada
// manifests in Git are accepted unchanged and become Clusters.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,categories=accord,shortName=clu
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Version",type=string,JSONPath=`.status.kubernetesVersion`
// +kubebuilder:printcolumn:name="Nodes",type=string,JSONPath=`.status.nodeSummary.display`
// +kubebuilder:printcolumn:name="Last-Probe",type=date,JSONPath=`.status.lastProbeTime`
// +kubebuilder:printcolumn:name="Region",type=string,priority=1,JSONPath=`.spec.region`
// +kubebuilder:printcolumn:name="Endpoint",type=string,priority=1,JSONPath=`.spec.apiEndpoint`
// +kubebuilder:printcolumn:name="Status",type=string,JSONPath=`.status.message`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$') && size(self.metadata.name) <= 48",message="the name of a Cluster is a DNS label of at most 48 characters"
type Cluster struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ClusterSpec `json:"spec"`
	// +structType=atomic
	// +kubebuilder:default={"observedGeneration":-1,"message":"not contacted yet","conditions":{{"type":"Ready","status":"Unknown","observedGeneration":0,"lastTransitionTime":"1970-01-01T00:00:00Z","reason":"ClusterStatusNeverUpdated","message":"not contacted yet"}}}
	Status ClusterStatus `json:"status,omitempty"`
}

// ClusterSpec has the fields of Karmada (Karmada §1.8) and a hold.
//
// +kubebuilder:validation:XValidation:rule="!has(self.syncMode) || self.syncMode != 'Pull' || !has(self.secretRef)",message="secretRef and syncMode Pull are mutually exclusive: the hub holds no credentials of a cluster in pull mode"
// +kubebuilder:validation:XValidation:rule="!has(self.zone) || !has(self.zones)",message="zone is deprecated and excludes zones"
type ClusterSpec struct {
	// ID is the UID of the namespace kube-system of the member. If it is set, accord delivers nothing to a cluster with another
	// UID: Ready is False, with the reason AnotherCluster. "accord join" sets it.
	ID string `json:"id,omitempty"`
	// SyncMode is Push if accord connects to the member, and Pull if an agent on the member connects to the hub. The hub holds no
	// credentials of a cluster in pull mode: apiEndpoint, secretRef and the proxy stay empty.
	// +kubebuilder:validation:Enum=Push;Pull
	// +kubebuilder:default=Push
	SyncMode string `json:"syncMode,omitempty"`
	// APIEndpoint is the URL of the API server, "https://host:port". It may be absent: the Secret has the server. accord sends
	// nothing if the two differ: Ready is False, with the reason CredentialsRefused.
	APIEndpoint string `json:"apiEndpoint,omitempty"`
	// SecretRef names the Secret on the hub with the credentials, which "accord join" writes. Its type is accord.dev/cluster, its
	// namespace that of accord (--secrets-namespace). Its keys are cluster, the name of the Cluster, and either server, token
	// and caBundle, with proxyURL and insecureSkipTLSVerification if necessary, or kubeconfig.
	SecretRef *SecretRef `json:"secretRef,omitempty"`
	// ImpersonatorSecretRef is accepted for Karmada's manifests and has no effect.
	ImpersonatorSecretRef *SecretRef `json:"impersonatorSecretRef,omitempty"`
	// InsecureSkipTLSVerification accepts any certificate of the API server. The Secret must have the same.
	InsecureSkipTLSVerification bool `json:"insecureSkipTLSVerification,omitempty"`
	// ProxyURL is the proxy through which accord connects to the API server. It may be absent: the Secret has the proxy.
	ProxyURL string `json:"proxyURL,omitempty"`
	// ProxyHeader are HTTP headers that accord sends to the proxy.
	ProxyHeader map[string]string `json:"proxyHeader,omitempty"`
	// Provider of the cluster, a topology that spread constraints and cluster affinities select.
	Provider string `json:"provider,omitempty"`
	// Region of the cluster, a topology that spread constraints and cluster affinities select.
	Region string `json:"region,omitempty"`
	// Zone is deprecated; use zones.
	Zone string `json:"zone,omitempty"`
	// Zones of the cluster, a topology that spread constraints and cluster affinities select.
	Zones []string `json:"zones,omitempty"`
	// Taints keep objects without a matching toleration away from the cluster.
	Taints []corev1.Taint `json:"taints,omitempty"`
	// Hold suspends delivery to the cluster: nothing is created, changed, repaired or deleted there.
	Hold *ClusterHold `json:"hold,omitempty"`
	// ResourceModels are the grades by which status.resourceSummary counts nodes, according to their free resources. The
	// default is Karmada's default models.
	ResourceModels []ResourceModel `json:"resourceModels,omitempty"`
}

// Values of spec.syncMode.
const (
	SyncModePush = "Push"
	SyncModePull = "Pull"
)

// SecretRef names a Secret.
type SecretRef struct {
	// Namespace of the Secret.
	Namespace string `json:"namespace"`
	// Name of the Secret.
	Name string `json:"name"`
}

// ClusterStatus is the state of the cluster at the last probe.
type ClusterStatus struct {
	// ObservedGeneration is the generation that the status is about.
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Conditions: Ready, Reconciling, Stalled, CompleteAPIEnablements, ResourceSummaryAvailable, and
	// FailoverBlocked while accord doubts its own network.
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// Message is the first sentence of the message of condition Ready, at most 80 characters, for tables.
	Message string `json:"message,omitempty"`
	// KubernetesVersion is the version of the API server.
	KubernetesVersion string `json:"kubernetesVersion,omitempty"`
	// NodeSummary counts the nodes.
	// +optional
	NodeSummary NodeSummary `json:"nodeSummary,omitzero"`
	// LastProbeTime is the time at which the cluster last answered.
	LastProbeTime *metav1.Time `json:"lastProbeTime,omitempty"`
	// APIEnablements are the kinds that the cluster serves. The condition CompleteAPIEnablements reports whether the list is
	// complete; without the condition the kinds are unknown. The list is empty when the kinds are too many for one object,
	// which the condition reports.
	APIEnablements []APIEnablement `json:"apiEnablements,omitempty"`
	// ResourceSummary has the free and used resources of the nodes; absent while unknown or not needed by any plan. The condition
	// ResourceSummaryAvailable names the reason when it was requested and cannot be measured or renewed.
	ResourceSummary *ResourceSummary `json:"resourceSummary,omitempty"`
	// Taints in addition to spec.taints. Those of ClusterTaintPolicies stay until a policy removes them. accord adds
	// cluster.karmada.io/not-ready while Ready is False and cluster.karmada.io/unreachable while it is Unknown, and removes them when
	// the cluster is Ready.
	Taints []corev1.Taint `json:"taints,omitempty"`
}

// NodeSummary counts nodes.
type NodeSummary struct {
	// TotalNum is the number of nodes.
	TotalNum int32 `json:"totalNum"`
	// ReadyNum is the number of nodes that are ready.
	ReadyNum int32 `json:"readyNum"`
	// Display is "ready/total", for tables.
	Display string `json:"display,omitempty"`
}

// ClusterList is a list of Clusters.
//
// +kubebuilder:object:root=true
type ClusterList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Cluster `json:"items"`
}
