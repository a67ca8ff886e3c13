package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Federation is what one reconciles: Git sources with workloads and policies, and how to treat what they no longer contain.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:categories=accord,shortName=fed
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Clusters",type=string,JSONPath=`.status.summary.display`,description="clusters that are healthy on the last attempted revision / clusters decided"
// +kubebuilder:printcolumn:name="Held",type=integer,JSONPath=`.status.summary.held`
// +kubebuilder:printcolumn:name="Revision",type=string,JSONPath=`.status.lastAttemptedRevision`
// +kubebuilder:printcolumn:name="Status",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 63",message="the name of a Federation has at most 63 characters"
type Federation struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec FederationSpec `json:"spec"`
	// +kubebuilder:default={"observedGeneration":-1,"conditions":{{"type":"Ready","status":"Unknown","observedGeneration":0,"lastTransitionTime":"1970-01-01T00:00:00Z","reason":"Pending","message":"not looked at yet"}}}
	Status FederationStatus `json:"status,omitempty"`
}

// FederationSpec says where the manifests come from.
type FederationSpec struct {
	// Sources of workloads, policies and clusters. All are read before anything is decided.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +listType=map
	// +listMapKey=name
	Sources []Source `json:"sources"`
	// Interval between two looks at the sources. A push hook or the annotation reconcile.accord.dev/requestedAt is faster.
	// +kubebuilder:default="1m"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('1s')",message="interval is at least 1s"
	// +optional
	Interval metav1.Duration `json:"interval,omitzero"`
	// Prune removes from the clusters what no policy places any more or what left Git. Without it such objects
	// stay and are listed as orphaned.
	Prune bool `json:"prune"`
	// PruneLimits stops a revision that would delete too much. A commit lifts it for itself with the
	// trailer "Accord-Prune: allow" in its message.
	// +kubebuilder:default:={}
	PruneLimits PruneLimits `json:"pruneLimits,omitempty"`
	// RequireApproval holds every plan that nobody approved: none of it is delivered, and the clusters keep what they have.
	// A plan is approved by its digest, in a line "Accord-Approve-Plan: sha256:<hex>" of the commit message or in the annotation
	// accord.dev/approved-plan of its Release. One that changes nothing needs no approval.
	RequireApproval bool `json:"requireApproval,omitempty"`
	// Preflight asks every cluster that can be reached, by a server-side dry-run, whether it would take what a new plan changes
	// there, before any of it is written to any cluster. If one refuses an object, nothing is written anywhere: the clusters
	// keep what they have, the Release names cluster, object and message, and it is tried again until nobody refuses.
	// +kubebuilder:default=true
	Preflight *bool `json:"preflight,omitempty"`
	// WebhookSecretRef names a Secret beside the Federation whose key "token" signs push hooks
	// (POST /hook/<namespace>/<name>); absent: push hooks are refused.
	WebhookSecretRef *corev1.LocalObjectReference `json:"webhookSecretRef,omitempty"`
	// SkippedNamespaces are regular expressions for whole names of namespaces of which nothing is propagated
	// (Karmada §8.2). kube-.* is always among them.
	// +kubebuilder:validation:MaxItems=128
	// +kubebuilder:validation:items:MaxLength=512
	SkippedNamespaces []string `json:"skippedNamespaces,omitempty"`
	// SkippedAPIs are never propagated (Karmada §8.2): "group", "group/version", "group/version/KindA,KindB",
	// "v1/KindA,KindB".
	// +kubebuilder:validation:MaxItems=128
	// +kubebuilder:validation:items:MaxLength=1024
	SkippedAPIs []string `json:"skippedAPIs,omitempty"`
	// Mirror publishes the objects of the Federation on the hub, with the status of all clusters together, so that
	// "kubectl rollout status" there speaks for all. Only a hub that runs no workloads does. Absent: as the hub is
	// run: "accord up" does, "accord run" does not.
	Mirror *bool `json:"mirror,omitempty"`
	// HealthCheckExprs are the health of kinds in CEL, as in a Kustomization of Flux. At most one for a kind.
	// +kubebuilder:validation:MaxItems=64
	// +listType=atomic
	HealthCheckExprs []HealthCheckExpr `json:"healthCheckExprs,omitempty"`
	// Suspend stops looking at the sources and writing to the clusters. Status is still collected.
	Suspend bool `json:"suspend,omitempty"`
}

// HealthCheckExpr says in CEL how the objects of one kind are. The fields of the object are variables: metadata, spec,
// status. InProgress is asked first, then Failed, then Current; if none is true, the object is in progress.
type HealthCheckExpr struct {
	// APIVersion and Kind of the objects; every version of the kind is meant.
	// +kubebuilder:validation:MinLength=1
	APIVersion string `json:"apiVersion"`
	// +kubebuilder:validation:MinLength=1
	Kind string `json:"kind"`
	// Current is true when the object is as its spec wants it.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=4096
	Current string `json:"current"`
	// InProgress is true while the object still gets there.
	// +kubebuilder:validation:MaxLength=4096
	InProgress string `json:"inProgress,omitempty"`
	// Failed is true when it will not get there by itself.
	// +kubebuilder:validation:MaxLength=4096
	Failed string `json:"failed,omitempty"`
}

// Source is one Git repository.
//
// +kubebuilder:validation:XValidation:rule="!has(self.ref) || [has(self.ref.tag), has(self.ref.semver), has(self.ref.commit)].filter(x, x).size() <= 1",message="ref takes at most one of tag, semver and commit"
type Source struct {
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]{0,30}[a-z0-9])?$`
	Name string `json:"name"`
	// URL: https://, ssh://, user@host:path, file:// or a path on the machine of the controller.
	// +kubebuilder:validation:MinLength=1
	URL string `json:"url"`
	// Ref to follow; absent: the default branch of the remote.
	Ref *Ref `json:"ref,omitempty"`
	// Path of the directory in the repository; absent: its root.
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="self.split('/').all(step, step != '..')",message="path stays inside the repository: no step of it is .."
	Path string `json:"path,omitempty"`
	// SecretRef names a Secret beside the Federation: username and password, bearerToken, ca.crt,
	// identity (an ssh private key), known_hosts.
	SecretRef *corev1.LocalObjectReference `json:"secretRef,omitempty"`
	// CommitStatus reports how far a commit of this source got where the repository is hosted; absent: nothing is reported.
	CommitStatus *CommitStatus `json:"commitStatus,omitempty"`
	// Timeout of one fetch.
	// +kubebuilder:default="60s"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	// +kubebuilder:validation:MaxLength=32
	// +optional
	Timeout metav1.Duration `json:"timeout,omitzero"`
}

// CommitStatus says how to report the status "accord/rollout" of a commit to the forge that hosts the repository.
type CommitStatus struct {
	// Provider is the API that the forge speaks, Forgejo that of Gitea; absent: told by the host of the source's URL.
	// +kubebuilder:validation:Enum=github;gitlab;gitea
	Provider string `json:"provider,omitempty"`
	// APIURL is where the API is; absent: the provider's usual place on the host of the source's URL.
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:Pattern=`^https?://[^\s]+$`
	APIURL string `json:"apiURL,omitempty"`
	// SecretRef names a Secret beside the Federation: token, which may set the status of a commit, and ca.crt, a PEM bundle
	// that is trusted beside the roots of the system.
	SecretRef corev1.LocalObjectReference `json:"secretRef"`
	// Instance is appended to the name of the status, "accord/rollout/<instance>". Give one where several Federations, of
	// this hub or of others, report on one repository: they would overwrite each other's.
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`
	Instance string `json:"instance,omitempty"`
	// TargetURL is where the status leads to; {release} in it is replaced by the name of the Release.
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:Pattern=`^https?://[^\s]+$`
	TargetURL string `json:"targetURL,omitempty"`
}

// Ref is a branch, tag, semver range or commit.
type Ref struct {
	Branch string `json:"branch,omitempty"`
	Tag    string `json:"tag,omitempty"`
	SemVer string `json:"semver,omitempty"`
	// +kubebuilder:validation:Pattern=`^([0-9a-f]{40})?$`
	Commit string `json:"commit,omitempty"`
}

// PruneLimits bounds what one revision may delete from one cluster. Namespaces, CustomResourceDefinitions and
// PersistentVolumeClaims always need the trailer.
type PruneLimits struct {
	// MaxPercent of the objects of one cluster.
	// +kubebuilder:default=50
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	MaxPercent *int32 `json:"maxPercent,omitempty"`
	// MaxObjects of one cluster; absent: no limit in numbers.
	// +kubebuilder:validation:Minimum=0
	MaxObjects *int32 `json:"maxObjects,omitempty"`
}

// FederationStatus is the state of the newest revision.
type FederationStatus struct {
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// LastAttemptedRevision was fetched last, for example "main@sha1:<40 hex>".
	LastAttemptedRevision string `json:"lastAttemptedRevision,omitempty"`
	// LastAppliedRevision was written to every cluster that is not held.
	LastAppliedRevision string `json:"lastAppliedRevision,omitempty"`
	// LastHealthyRevision was healthy on every decided cluster.
	LastHealthyRevision string `json:"lastHealthyRevision,omitempty"`
	// LastHandledReconcileAt is the last value of the annotation reconcile.accord.dev/requestedAt (or Flux's) that was acted on.
	LastHandledReconcileAt string `json:"lastHandledReconcileAt,omitempty"`
	// Rollouts are what is remembered of the RolloutPolicies that claim anything.
	// +listType=map
	// +listMapKey=policy
	Rollouts []RolloutState `json:"rollouts,omitempty"`
	// Release is the name of the Release of the last attempted revision.
	Release string `json:"release,omitempty"`
	// +optional
	Summary Summary `json:"summary,omitzero"`
	// RemovedClusters are the clusters that left the fleet and have something of the Federation, the newest first. One that joins again is
	// taken out as soon as its Delivery answers for what is there.
	// +kubebuilder:validation:MaxItems=20
	RemovedClusters []RemovedCluster `json:"removedClusters,omitempty"`
	// RemovedClustersOmitted counts clusters that left before those in Left.
	RemovedClustersOmitted int32 `json:"removedClustersOmitted,omitempty"`
}

// RemovedCluster is what a cluster had of a Federation when it left the fleet. It stays there: nothing is deleted.
type RemovedCluster struct {
	Cluster string `json:"cluster"`
	// Since it left.
	Since metav1.Time `json:"since"`
	// ObjectCount counts what stays there, as far as is known: of a cluster that is not reachable, what it had when it was heard last.
	ObjectCount int32 `json:"objectCount"`
	// Objects are at most ten of the objects, "apps/Deployment shop/web".
	// +kubebuilder:validation:MaxItems=10
	Objects []string `json:"objects,omitempty"`
	// Reachable is whether the cluster answered when it left.
	Reachable bool `json:"reachable"`
	// LastProbeTime is when it answered last; absent if it never did.
	LastProbeTime *metav1.Time `json:"lastProbeTime,omitempty"`
}

// FederationList is a list of Federations.
//
// +kubebuilder:object:root=true
type FederationList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Federation `json:"items"`
}
