package v1alpha1

import (
	"cmp"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Federation declares sources with workloads and policies that accord reconciles to the member clusters: Git repositories and live
// clusters.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:categories=accord,shortName=fed
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Clusters",type=string,JSONPath=`.status.summary.display`,description="clusters that are healthy on the last attempted revision / clusters decided"
// +kubebuilder:printcolumn:name="Held",type=integer,JSONPath=`.status.summary.held`
// +kubebuilder:printcolumn:name="Revision",type=string,JSONPath=`.status.shortRevision`
// +kubebuilder:printcolumn:name="Release",type=string,priority=1,JSONPath=`.status.release`
// +kubebuilder:printcolumn:name="Status",type=string,JSONPath=`.status.message`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 63",message="the name of a Federation has at most 63 characters"
type Federation struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec FederationSpec `json:"spec"`
	// +structType=atomic
	// +kubebuilder:default={"observedGeneration":-1,"message":"not reconciled yet","conditions":{{"type":"Ready","status":"Unknown","observedGeneration":0,"lastTransitionTime":"1970-01-01T00:00:00Z","reason":"Pending","message":"not reconciled yet"}}}
	Status FederationStatus `json:"status,omitempty"`
}

// FederationSpec is written by users: the sources and how to deliver them.
type FederationSpec struct {
	// Sources of workloads, policies and clusters. The plan is made only when all of them could be read.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +listType=map
	// +listMapKey=name
	Sources []Source `json:"sources"`
	// Interval between two reconciliations. A webhook or the annotation reconcile.accord.dev/requestedAt reconciles at once.
	// +kubebuilder:default="1m"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('1s')",message="interval is at least 1s"
	// +optional
	Interval metav1.Duration `json:"interval,omitzero"`
	// Prune deletes objects from the clusters that no policy places any more or that were removed from Git. Without prune
	// they stay and are listed as orphaned.
	Prune bool `json:"prune"`
	// PruneLimits block the pruning of a revision that would delete too much. A commit overrides the limits for itself with
	// the trailer "Accord-Prune: allow" in its message. With several sources, each that the revision changes needs the trailer.
	// +kubebuilder:default:={}
	PruneLimits PruneLimits `json:"pruneLimits,omitempty"`
	// DeletionTimeout is the longest time for which a Delivery waits until a deleted object is gone. After that it is Stalled
	// until the object is gone: somebody has to remove the finalizer.
	// +kubebuilder:default="5m"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	// +kubebuilder:validation:MaxLength=32
	// +optional
	DeletionTimeout metav1.Duration `json:"deletionTimeout,omitzero"`
	// MutationPolicy decides what follows when a mutating admission policy or webhook of a cluster changes an applied field:
	// Fail makes the Delivery and its Release fail with the reason Mutated, Warn only reports the condition Mutated.
	// +kubebuilder:default=Fail
	// +optional
	MutationPolicy MutationPolicy `json:"mutationPolicy,omitempty"`
	// Approval requires that a person approves a plan, by its digest, before it is delivered; until then the clusters keep their
	// version. A plan that changes no object, no Cluster and no other control manifest needs no approval. Without this field
	// accord delivers every plan.
	Approval *ApprovalPolicy `json:"approval,omitempty"`
	// Preflight sends the changes of a new plan to every reachable cluster as a server-side dry-run before it writes to any
	// cluster. If a cluster rejects an object, nothing is written anywhere: the clusters keep their version, the Release names
	// cluster, object and message, and accord retries until no cluster rejects an object.
	// +kubebuilder:default=true
	Preflight *bool `json:"preflight,omitempty"`
	// WebhookSecretRef names a Secret in the namespace of the Federation. Its key "token" signs webhooks of the Git server
	// (POST /hook/<namespace>/<name>). Without it webhooks are rejected.
	WebhookSecretRef *corev1.LocalObjectReference `json:"webhookSecretRef,omitempty"`
	// SkippedNamespaces are regular expressions that match whole names of namespaces. Objects in these namespaces are not
	// propagated (Karmada §8.2). kube-.* is always skipped.
	// +kubebuilder:validation:MaxItems=128
	// +kubebuilder:validation:items:MaxLength=512
	SkippedNamespaces []string `json:"skippedNamespaces,omitempty"`
	// SkippedAPIs are API groups, versions or kinds that are not propagated (Karmada §8.2): "group", "group/version",
	// "group/version/KindA,KindB", "v1/KindA,KindB".
	// +kubebuilder:validation:MaxItems=128
	// +kubebuilder:validation:items:MaxLength=1024
	SkippedAPIs []string `json:"skippedAPIs,omitempty"`
	// Mirror publishes the objects of the Federation on the hub with the status of all clusters together, so that
	// "kubectl rollout status" on the hub covers all clusters. It requires a hub that runs no workloads. The default is true
	// for "accord up" and false for "accord run".
	Mirror *bool `json:"mirror,omitempty"`
	// HealthCheckExprs define the health of kinds in CEL, as in a Kustomization of Flux. At most one per kind.
	// +kubebuilder:validation:MaxItems=64
	// +listType=atomic
	HealthCheckExprs []HealthCheckExpr `json:"healthCheckExprs,omitempty"`
	// DeclareFederations creates, changes and removes Federations of the hub as the manifests of kind Federation in the sources say.
	// With prune, a commit that has the trailer "Accord-Prune: allow" and lacks a manifest deletes its Federation from the hub, which
	// deletes nothing on the clusters. Without this field such a manifest is an object like any other.
	DeclareFederations bool `json:"declareFederations,omitempty"`
	// Failover moves objects away from clusters that failed. It needs enabled: true here and spec.failover in the policy of an
	// object. Without this field accord evicts nothing.
	Failover *Failover `json:"failover,omitempty"`
	// Descheduler moves replicas that a cluster cannot schedule to other clusters. Without this field accord moves none.
	Descheduler *Descheduler `json:"descheduler,omitempty"`
	// Notifications send an HTTP request when a Release starts, halts, fails or is done.
	// +kubebuilder:validation:MaxItems=16
	// +listType=map
	// +listMapKey=name
	Notifications []Notification `json:"notifications,omitempty"`
	// DependsOn are the Federations that have to be ready before this one starts a new revision. The revision that the clusters have
	// stays in force until then, and is repaired. It does not delay deletion.
	// +kubebuilder:validation:MaxItems=32
	// +listType=atomic
	DependsOn []FederationReference `json:"dependsOn,omitempty"`
	// Suspend stops fetching the sources and writing to the clusters. Status is still collected.
	Suspend bool `json:"suspend,omitempty"`
}

// FederationReference names a Federation.
type FederationReference struct {
	// Name of the Federation.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// Namespace of the Federation. The default is the namespace of this one. Where Tenants exist, the same Tenant has to govern both.
	// +kubebuilder:validation:MaxLength=63
	// +optional
	Namespace string `json:"namespace,omitempty"`
}

// ApprovalPolicy defines the approvals of plans that count.
//
// +kubebuilder:validation:XValidation:rule="!has(self.notBy) || !('Trailer' in self.by)",message="notBy: Author requires by: [Annotation], because the author of a commit writes its trailers"
type ApprovalPolicy struct {
	// By are the ways to approve a plan. Annotation is the annotation accord.dev/approved-plan of its Release, with the name of the
	// approver in accord.dev/approved-by: "accord approve --plan" writes both, and the API server compares the name with the user
	// of the request. Trailer is the trailer "Accord-Approve-Plan: sha256:<hex>" in the message of the newest commit of every
	// source that the revision changes. The author of a commit writes its trailers.
	// +kubebuilder:default={Annotation}
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=2
	// +listType=set
	By []ApprovalMethod `json:"by,omitempty"`
	// NotBy are the people whose approval does not count. Author refuses the approval by an author of the newest commit of a source
	// that the revision changes: its author, committer, co-authors (the trailer Co-authored-by) and verified
	// signers. The user name of the approver, or its part after the last ":", "#" or "/", is compared with the name of the author,
	// the e-mail address, and the parts of the address before the "@", without case. Authors of older commits are not compared.
	// A Git author chooses name and address freely; spec.sources[].verify proves the signer.
	NotBy ApprovalExclusion `json:"notBy,omitempty"`
}

// ApprovalExclusion names people whose approval does not count.
// +kubebuilder:validation:Enum=Author
type ApprovalExclusion string

// NotByAuthor excludes the author of the commit.
const NotByAuthor ApprovalExclusion = "Author"

// ApprovalMethod is a way to approve a plan.
// +kubebuilder:validation:Enum=Annotation;Trailer
type ApprovalMethod string

const (
	ApprovalByAnnotation ApprovalMethod = "Annotation"
	ApprovalByTrailer    ApprovalMethod = "Trailer"
)

// Allows reports whether a plan may be approved in this way. Without By it is Annotation. An author may not approve by a trailer if
// NotBy excludes authors.
func (p *ApprovalPolicy) Allows(m ApprovalMethod) bool {
	if m == ApprovalByTrailer && p.NotBy == NotByAuthor {
		return false
	}
	return slices.Contains(p.By, m) || len(p.By) == 0 && m == ApprovalByAnnotation
}

// MutationPolicy decides whether a mutated field makes a Delivery fail. Empty is Fail.
// +kubebuilder:validation:Enum=Fail;Warn
type MutationPolicy string

const (
	MutationFail MutationPolicy = "Fail"
	MutationWarn MutationPolicy = "Warn"
)

// HealthCheckExpr defines the health of one kind in CEL. The fields of the object are variables: metadata, spec, status.
// InProgress is evaluated first, then Failed, then Current. If none is true, the object is in progress.
type HealthCheckExpr struct {
	// APIVersion of the objects. The expressions apply to every version of the kind.
	// +kubebuilder:validation:MinLength=1
	APIVersion string `json:"apiVersion"`
	// Kind of the objects.
	// +kubebuilder:validation:MinLength=1
	Kind string `json:"kind"`
	// Current is true when the object has reached the state of its spec.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=4096
	Current string `json:"current"`
	// InProgress is true while the object is changing.
	// +kubebuilder:validation:MaxLength=4096
	InProgress string `json:"inProgress,omitempty"`
	// Failed is true when the object cannot reach the state of its spec without help.
	// +kubebuilder:validation:MaxLength=4096
	Failed string `json:"failed,omitempty"`
}

const (
	// MaxSourceTimeout is the longest timeout of a source.
	MaxSourceTimeout = 5 * time.Minute

	defaultSourceTimeout = time.Minute
)

// FetchTimeout returns the time that one fetch may take.
func (s *Source) FetchTimeout() time.Duration {
	return min(cmp.Or(s.Timeout.Duration, defaultSourceTimeout), MaxSourceTimeout)
}

// Source is one Git repository, or one live cluster.
//
// +kubebuilder:validation:XValidation:rule="has(self.url) != has(self.cluster)",message="set exactly one of url and cluster"
// +kubebuilder:validation:XValidation:rule="!has(self.cluster) || ![has(self.insecure) && self.insecure, has(self.ref), has(self.path), has(self.secretRef), has(self.verify), has(self.commitStatus)].exists(x, x)",message="insecure, ref, path, secretRef, verify and commitStatus are for a Git repository: remove them beside cluster"
// +kubebuilder:validation:XValidation:rule="!has(self.url) || !self.url.lowerAscii().startsWith('http://') || has(self.insecure) && self.insecure",message="http:// is not encrypted: use https://, or set insecure: true"
// +kubebuilder:validation:XValidation:rule="!has(self.verify) || !has(self.verify.mode) || self.verify.mode == 'HEAD' || has(self.ref) && (has(self.ref.tag) || has(self.ref.semver))",message="verify.mode Tag and TagAndHEAD require ref.tag or ref.semver"
// +kubebuilder:validation:XValidation:rule="!has(self.ref) || [has(self.ref.tag), has(self.ref.semver), has(self.ref.commit)].filter(x, x).size() <= 1",message="ref takes at most one of tag, semver and commit"
type Source struct {
	// Name of the source, unique in the Federation. It is part of the label revision.accord.dev/<source> of Releases.
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]{0,30}[a-z0-9])?$`
	Name string `json:"name"`
	// URL of the repository: https://, ssh:// or user@host:path. A server with a loopback, link-local or private address is
	// refused unless --allow-source-networks of the controllers or spec.networks of the Tenant allows it, file:// and a path on the
	// machine of the controllers unless they run with --allow-local-sources, and http:// unless insecure is true.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=2048
	// +optional
	URL string `json:"url,omitempty"`
	// Cluster reads the objects of a live cluster in place of a repository. Policies come from there, from other sources, or both.
	Cluster *ClusterSource `json:"cluster,omitempty"`
	// Insecure allows http://. Files and credentials are sent unencrypted.
	Insecure bool `json:"insecure,omitempty"`
	// Ref to follow. The default is the default branch of the remote.
	Ref *Ref `json:"ref,omitempty"`
	// Path of the directory in the repository. The default is its root.
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="self.split('/').all(step, step != '..')",message="path stays inside the repository: no step of it is .."
	Path string `json:"path,omitempty"`
	// SecretRef names a Secret in the namespace of the Federation. Its keys are username and password, bearerToken, ca.crt,
	// identity (an SSH private key) and known_hosts.
	SecretRef *corev1.LocalObjectReference `json:"secretRef,omitempty"`
	// Verify requires that an allowed signer signed the revision. A revision without a valid signature changes nothing: the clusters
	// keep their version, and the Federation has the condition SourceVerified=False. "accord plan" and "accord lint" verify nothing.
	Verify *Verification `json:"verify,omitempty"`
	// CommitStatus reports the progress of a commit to the forge that hosts the repository. Without it nothing is reported.
	CommitStatus *CommitStatus `json:"commitStatus,omitempty"`
	// Timeout of one fetch, at most 5m.
	// +kubebuilder:default="60s"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="duration(self) <= duration('5m')",message="timeout is at most 5m"
	// +optional
	Timeout metav1.Duration `json:"timeout,omitzero"`
}

// Verification requires signatures of a Git source, as spec.verify of Flux's GitRepository. OpenPGP and SSH signatures count.
type Verification struct {
	// Mode HEAD verifies the signature of the commit, Tag that of the annotated tag that ref.tag or ref.semver selects, and
	// TagAndHEAD both.
	// +kubebuilder:default=HEAD
	// +optional
	Mode VerificationMode `json:"mode,omitempty"`
	// SecretRef names a Secret in the namespace of the Federation with the public keys of the allowed signers: the keys "*.asc"
	// (armored OpenPGP keys), "*.pub" (SSH keys, one on each line) and "allowed_signers" (the format of ssh-keygen; without
	// cert-authority). accord reads the Secret at every fetch.
	// +kubebuilder:validation:XValidation:rule="has(self.name) && size(self.name) > 0",message="secretRef.name is required"
	SecretRef corev1.LocalObjectReference `json:"secretRef"`
}

// VerificationMode selects the objects that must be signed. Empty is HEAD.
// +kubebuilder:validation:Enum=HEAD;Tag;TagAndHEAD
type VerificationMode string

const (
	VerifyHEAD       VerificationMode = "HEAD"
	VerifyTag        VerificationMode = "Tag"
	VerifyTagAndHEAD VerificationMode = "TagAndHEAD"
)

// CommitStatus configures the commit status "accord/rollout" on the forge that hosts the repository.
type CommitStatus struct {
	// Provider is the API of the forge; Forgejo has that of Gitea. The default is derived from the host of the source's URL.
	// +kubebuilder:validation:Enum=github;gitlab;gitea
	Provider string `json:"provider,omitempty"`
	// APIURL is the https:// address of the API. The default is the usual address of the provider on the host of the source's URL.
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:Pattern=`^https://[^\s]+$`
	APIURL string `json:"apiURL,omitempty"`
	// SecretRef names a Secret in the namespace of the Federation. Its key token may set the status of a commit. Its key
	// ca.crt is a PEM bundle that is trusted in addition to the roots of the system.
	SecretRef corev1.LocalObjectReference `json:"secretRef"`
	// Instance is appended to the name of the status: "accord/rollout/<instance>". Set it if several Federations, of this hub or
	// of others, report to one repository, because they would overwrite each other's status.
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`
	Instance string `json:"instance,omitempty"`
	// TargetURL is the link of the status. {release} is replaced by the name of the Release.
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:Pattern=`^https?://[^\s]+$`
	TargetURL string `json:"targetURL,omitempty"`
}

// Ref is a branch, tag, semver range or commit.
type Ref struct {
	// Branch to follow.
	Branch string `json:"branch,omitempty"`
	// Tag to follow.
	Tag string `json:"tag,omitempty"`
	// SemVer is a range of versions; the newest tag in the range is followed.
	SemVer string `json:"semver,omitempty"`
	// Commit of 40 hexadecimal digits.
	// +kubebuilder:validation:Pattern=`^([0-9a-f]{40})?$`
	Commit string `json:"commit,omitempty"`
}

// PruneLimits limit the objects that one revision may delete from one cluster. Deleting Namespaces,
// CustomResourceDefinitions and PersistentVolumeClaims always requires the trailer "Accord-Prune: allow".
type PruneLimits struct {
	// MaxPercent is the largest share of the objects of one cluster.
	// +kubebuilder:default=50
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	MaxPercent *int32 `json:"maxPercent,omitempty"`
	// MaxObjects is the largest number of objects of one cluster. The default is no limit.
	// +kubebuilder:validation:Minimum=0
	MaxObjects *int32 `json:"maxObjects,omitempty"`
}

// FederationStatus is the state of the newest revision.
type FederationStatus struct {
	// ObservedGeneration is the generation that the status is about.
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Conditions: Ready, Reconciling, Stalled, Suspended, SourceVerified.
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// Message is the first sentence of the message of condition Ready, at most 80 characters, for tables.
	Message string `json:"message,omitempty"`
	// LastAttemptedRevision is the revision that was fetched last, for example "main@sha1:<40 hex>".
	LastAttemptedRevision string `json:"lastAttemptedRevision,omitempty"`
	// ShortRevision is the first 7 digits of the commit of lastAttemptedRevision, for tables.
	ShortRevision string `json:"shortRevision,omitempty"`
	// RefusedRevision is the revision of a source that was read last and refused, because no allowed signer signed it
	// (spec.sources[].verify). It is empty if the last revisions of all sources are verified.
	RefusedRevision string `json:"refusedRevision,omitempty"`
	// LastAppliedRevision is the last revision that was applied to every cluster that is not held.
	LastAppliedRevision string `json:"lastAppliedRevision,omitempty"`
	// LastHealthyRevision is the last revision that was healthy on every chosen cluster.
	LastHealthyRevision string `json:"lastHealthyRevision,omitempty"`
	// LastHandledReconcileAt is the last value of the annotation reconcile.accord.dev/requestedAt (or Flux's) that was handled.
	LastHandledReconcileAt string `json:"lastHandledReconcileAt,omitempty"`
	// Rollouts is the state of the rollouts, one entry per RolloutPolicy that claims objects.
	// +listType=map
	// +listMapKey=policy
	Rollouts []RolloutState `json:"rollouts,omitempty"`
	// Release is the name of the Release of the last attempted revision.
	Release string `json:"release,omitempty"`
	// Summary counts the clusters by their state on the last attempted revision.
	// +optional
	Summary Summary `json:"summary,omitzero"`
	// RemovedClusters are the clusters that were removed from the fleet and still have objects of the Federation, the newest
	// first. A cluster that joins again is removed from the list as soon as its Delivery reports the objects there.
	// +kubebuilder:validation:MaxItems=20
	RemovedClusters []RemovedCluster `json:"removedClusters,omitempty"`
	// RemovedClustersOmitted counts the clusters that were removed before those in RemovedClusters.
	RemovedClustersOmitted int32 `json:"removedClustersOmitted,omitempty"`
}

// RemovedCluster lists the objects of a Federation on a cluster that was removed from the fleet. accord does not delete them.
type RemovedCluster struct {
	// Cluster that was removed.
	Cluster string `json:"cluster"`
	// Since is the time at which the cluster was removed.
	Since metav1.Time `json:"since"`
	// ObjectCount is the number of objects that stay there. For an unreachable cluster it is the number at the last probe.
	ObjectCount int32 `json:"objectCount"`
	// Objects are at most ten of them, "apps/Deployment shop/web".
	// +kubebuilder:validation:MaxItems=10
	Objects []string `json:"objects,omitempty"`
	// Reachable reports whether the cluster answered when it was removed.
	Reachable bool `json:"reachable"`
	// LastProbeTime is the time at which the cluster last answered; absent if it never did.
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
