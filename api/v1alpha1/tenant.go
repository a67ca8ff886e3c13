package v1alpha1

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Tenant limits the Federations of some namespaces: their sources, clusters, namespaces and kinds on the clusters, and their
// powers. Administrators write it. Every field that lists something allows only the listed values.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,categories=accord,shortName=ten
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Federations",type=integer,JSONPath=`.status.federations`,description="Federations that the Tenant governs"
// +kubebuilder:printcolumn:name="Account",type=string,priority=1,JSONPath=`.spec.impersonate.serviceAccount`
// +kubebuilder:printcolumn:name="Status",type=string,JSONPath=`.status.message`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 63",message="the name of a Tenant has at most 63 characters"
type Tenant struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec TenantSpec `json:"spec"`
	// +kubebuilder:default={"observedGeneration":-1,"message":"not reconciled yet","conditions":{{"type":"Ready","status":"Unknown","observedGeneration":0,"lastTransitionTime":"1970-01-01T00:00:00Z","reason":"Pending","message":"not reconciled yet"}}}
	Status TenantStatus `json:"status,omitempty"`
}

// TenantSpec is written by administrators.
//
// +kubebuilder:validation:XValidation:rule="!has(self.may) || !('HoldClusters' in self.may) || 'DeclareClusters' in self.may",message="the power HoldClusters requires DeclareClusters: a hold is part of a Cluster"
type TenantSpec struct {
	// Federations are the Federations that the Tenant governs. Two Tenants must not govern the same namespace.
	Federations TenantFederations `json:"federations"`
	// Sources are globs of the URLs that a Federation may read: "https://git.example/team-a/**". "*" matches within one segment of
	// a URL, "**" matches any characters, and "**" alone matches every URL.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=1024
	// +listType=set
	Sources []string `json:"sources"`
	// Networks are loopback, link-local and private networks in which the Git servers and forges of the Federations may be, beside
	// those of --allow-source-networks: "10.20.0.0/16". The default is none. A public address needs no entry.
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=49
	// +kubebuilder:validation:items:XValidation:rule="isCIDR(self)",message="expected a CIDR such as 10.20.0.0/16"
	// +listType=set
	Networks []string `json:"networks,omitempty"`
	// Clusters selects the clusters by their labels. Other clusters do not exist for the Federations. An empty selector selects
	// every cluster.
	Clusters metav1.LabelSelector `json:"clusters"`
	// Namespaces are names of namespaces on the clusters, or globs: "team-a-*". Every delivered object of a namespace is in one of
	// them, and every delivered Namespace is one of them.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=63
	// +kubebuilder:validation:items:Pattern=`^[-a-z0-9*]+$`
	// +listType=set
	Namespaces []string `json:"namespaces"`
	// Kinds limits the kinds that are delivered.
	// +optional
	Kinds TenantKinds `json:"kinds,omitzero"`
	// May are the powers of the Federations. The default is none.
	// +kubebuilder:validation:MaxItems=16
	// +listType=set
	May []Power `json:"may,omitempty"`
	// Impersonate is the ServiceAccount on the clusters with whose rights accord reads and writes the objects of the Federations: the
	// API server of each cluster decides. accord needs the right to impersonate it there (verb impersonate on serviceaccounts), and
	// writes its inventory with its own account. A changed account counts from the next write on, and rewrites nothing. Without
	// impersonate accord uses its own account.
	Impersonate *TenantAccount `json:"impersonate,omitempty"`
	// Limits of each Federation.
	// +kubebuilder:default:={}
	// +optional
	Limits TenantLimits `json:"limits,omitzero"`
}

// TenantFederations selects Federations.
type TenantFederations struct {
	// Namespaces are names of namespaces on the hub, or globs: "team-a-*". The Tenant governs every Federation in them.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=63
	// +kubebuilder:validation:items:Pattern=`^[-a-z0-9*]+$`
	// +listType=set
	Namespaces []string `json:"namespaces"`
}

// TenantKinds limits kinds. A kind is written as "Kind" for the core group or "group/Kind"; both parts may have "*", and "*" alone
// is every kind of every group.
type TenantKinds struct {
	// ClusterScoped are the cluster-scoped kinds that may be delivered. The default is none. A Namespace that accord creates for
	// an object needs no entry, a Namespace in Git does.
	// +kubebuilder:validation:MaxItems=128
	// +kubebuilder:validation:items:MaxLength=256
	// +kubebuilder:validation:items:Pattern=`^([-a-z0-9.*]*/)?[A-Za-z0-9*]+$`
	// +listType=set
	ClusterScoped []string `json:"clusterScoped,omitempty"`
	// Denied are kinds that are never delivered, whatever their scope.
	// +kubebuilder:validation:MaxItems=128
	// +kubebuilder:validation:items:MaxLength=256
	// +kubebuilder:validation:items:Pattern=`^([-a-z0-9.*]*/)?[A-Za-z0-9*]+$`
	// +listType=set
	Denied []string `json:"denied,omitempty"`
}

// Power is one thing that the Federations of a Tenant may do beyond delivering objects.
//
// +kubebuilder:validation:Enum=DeclareClusters;HoldClusters;TaintClusters;CustomizeKinds;Overwrite;AllowPrune;DeclareFederations
type Power string

const (
	// DeclareClusters: Cluster manifests in Git add, change and remove Clusters of the hub.
	DeclareClusters Power = "DeclareClusters"
	// HoldClusters: Cluster manifests in Git set spec.hold.
	HoldClusters Power = "HoldClusters"
	// TaintClusters: Cluster manifests in Git set spec.taints, and ClusterTaintPolicies take effect.
	TaintClusters Power = "TaintClusters"
	// CustomizeKinds: ResourceInterpreterCustomizations and spec.healthCheckExprs take effect.
	CustomizeKinds Power = "CustomizeKinds"
	// Overwrite: objects take over existing objects of other owners (conflictResolution: Overwrite).
	Overwrite Power = "Overwrite"
	// AllowPrune: the trailer "Accord-Prune: allow" lifts the prune limits of a commit.
	AllowPrune Power = "AllowPrune"
	// DeclareFederations: Federation manifests in Git add, change and remove Federations of the namespaces that the Tenant governs.
	DeclareFederations Power = "DeclareFederations"
)

// TenantAccount is a ServiceAccount on every cluster of the Tenant.
type TenantAccount struct {
	// Namespace of the ServiceAccount.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Namespace string `json:"namespace"`
	// ServiceAccount is the name of the ServiceAccount.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$`
	ServiceAccount string `json:"serviceAccount"`
}

// TenantLimits limit each Federation of a Tenant.
type TenantLimits struct {
	// Objects is the largest number of objects that one Federation reads from its sources.
	// +kubebuilder:default=20000
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	// +optional
	Objects int32 `json:"objects,omitempty"`
	// Bytes is the largest size of the manifests that one Federation reads from its sources: a whole number of bytes, Ki, Mi or Gi.
	// +kubebuilder:default="64Mi"
	// +kubebuilder:validation:Pattern=`^[1-9][0-9]{0,9}(Ki|Mi|Gi)?$`
	// +optional
	Bytes string `json:"bytes,omitempty"`
	// FetchTimeout is the longest time that reading all sources of one Federation takes.
	// +kubebuilder:default="5m"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('1s')",message="fetchTimeout is at least 1s"
	// +optional
	FetchTimeout metav1.Duration `json:"fetchTimeout,omitzero"`
	// Scripts is the longest time of the scripts of ResourceInterpreterCustomizations for one plan. accord counts the time and does not
	// measure it: a second is 2^25 instructions of the Lua machine, on every machine. Each script counts once, and each script about
	// templates once for each object of its kind; a plan may run it a few times. Health expressions run at no plan.
	// +kubebuilder:default="10s"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('100ms')",message="scripts is at least 100ms"
	// +optional
	Scripts metav1.Duration `json:"scripts,omitzero"`
}

// TenantStatus is written by the controllers.
type TenantStatus struct {
	// ObservedGeneration is the generation that the status is about.
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Conditions: Ready. It is False, with the reason Conflict, if another Tenant governs one of its namespaces.
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// Message is the first sentence of the message of condition Ready, at most 80 characters, for tables.
	Message string `json:"message,omitempty"`
	// Federations is the number of Federations that the Tenant governs.
	// +optional
	Federations int32 `json:"federations"`
}

// TenantList is a list of Tenants.
//
// +kubebuilder:object:root=true
type TenantList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Tenant `json:"items"`
}

// Has reports whether the Tenant grants a power.
func (s TenantSpec) Has(p Power) bool { return slices.Contains(s.May, p) }
