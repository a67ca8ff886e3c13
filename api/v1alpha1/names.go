package v1alpha1

// Labels and annotations of the hub objects.
const (
	// FederationLabel on every Release, Delivery, Inventory and FederatedObject has the name of the Federation.
	FederationLabel = "accord.dev/federation"
	// ClusterLabel on every Delivery and Inventory has the name of the Cluster.
	ClusterLabel = "accord.dev/cluster"
	// RevisionLabelPrefix plus the name of a source is the label of a Release with the 40-digit commit of that source.
	RevisionLabelPrefix = "revision.accord.dev/"
	// RequestedAtAnnotation requests a reconciliation; its value is copied to status.lastHandledReconcileAt.
	RequestedAtAnnotation = "reconcile.accord.dev/requestedAt"
	// RetryPoisonedAnnotation on a Federation lifts the refusal of a revision that killed accord twice; each new value counts again.
	RetryPoisonedAnnotation = "accord.dev/retry-poisoned"
	// ApprovedPlanAnnotation on a Release approves its plans by digest ("sha256:<hex>", several separated by commas) if the
	// Federation allows approval by annotation and ApprovedByAnnotation names the approver.
	ApprovedPlanAnnotation = "accord.dev/approved-plan"
	// ApprovedByAnnotation on a Release is the name of the user who wrote ApprovedPlanAnnotation. The API server of the hub compares it
	// with the user of the request: package api/admission has the policy.
	ApprovedByAnnotation = "accord.dev/approved-by"
	// ApprovePlanTrailer is the key of the trailer of a commit message that approves a plan. Its value is the digest of the plan.
	ApprovePlanTrailer = "Accord-Approve-Plan"
	// PruneTrailer is the key of the trailer of a commit message that lifts the prune limits for that commit, with the value
	// PruneAllow.
	PruneTrailer = "Accord-Prune"
	PruneAllow   = "allow"
	// AcknowledgeRemovedAnnotation on a Federation is a time (RFC 3339). Clusters that were removed until then are
	// deleted from status.removedClusters, because somebody took care of them.
	AcknowledgeRemovedAnnotation = "accord.dev/acknowledge-removed-clusters"
	// CommitStatusAnnotation on a Release has the commit statuses that were reported last, so that a restart does not report them
	// again.
	CommitStatusAnnotation = "accord.dev/commit-status"
	// NotifiedAnnotation on a Release has the events of which receivers were notified last, so that a restart does not send them again.
	NotifiedAnnotation = "accord.dev/notified"
	// SourceLabel on a Cluster that a Git source declares has the value "<namespace>.<federation>".
	SourceLabel = "accord.dev/declared-by"
	// LeaveFinalizer is on a Cluster that "accord leave" removes. It delays the deletion of the Cluster until its credentials on
	// the member and on the hub are deleted.
	LeaveFinalizer = "accord.dev/leave"
	// RecordRemovalFinalizer is on a Cluster with delivered objects. It delays the deletion of the Cluster until every Federation
	// has recorded the objects that stay there (status.removedClusters), by at most a minute.
	RecordRemovalFinalizer = "accord.dev/record-removal"
)

// Names on the objects that accord delivers to members.
const (
	// FieldManager is the field manager of the fields that come from Git.
	FieldManager = "accord"
	// DigestAnnotation identifies the version of the rendered object that is live.
	DigestAnnotation = "accord.dev/digest"
	// PreserveAnnotation with the value "true" keeps the object when it is no longer wanted (preserveResourcesOnDeletion).
	PreserveAnnotation = "accord.dev/preserve"
	// AdoptedAnnotation with the value "true" marks a Namespace that existed before. accord never deletes it.
	AdoptedAnnotation = "accord.dev/adopted"
	// ForceAnnotation with the value ForceEnabled, on an object in Git, allows accord to delete and recreate the object when the
	// API server rejects the change of an immutable field.
	ForceAnnotation = "accord.dev/force"
	ForceEnabled    = "enabled"
	// PartOfLabel is the ApplySet membership label of KEP-3659.
	PartOfLabel = "applyset.kubernetes.io/part-of"
	// ApplySetLabel, ToolingAnnotation and KindsAnnotation are on the parent of an ApplySet; Tooling is
	// the value of ToolingAnnotation.
	ApplySetLabel     = "applyset.kubernetes.io/id"
	ToolingAnnotation = "applyset.kubernetes.io/tooling"
	KindsAnnotation   = "applyset.kubernetes.io/contains-group-kinds"
	Tooling           = "accord/v1"
)

// Condition types beside Ready, Reconciling and Stalled (github.com/fluxcd/pkg/apis/meta).
const (
	Rendered    = "Rendered"
	Scheduled   = "Scheduled"
	Applied     = "Applied"
	HealthyType = "Healthy"
	Suspended   = "Suspended"
	Superseded  = "Superseded"
	// Approved on a Release reports whether its plan is approved, if the Federation requires approval.
	Approved = "Approved"
	// PruneAllowed on a Release is False if the prune limits stop its plan, and absent otherwise.
	PruneAllowed = "PruneAllowed"
	// DryRunSucceeded on a Release reports whether every cluster accepted the changes in a dry-run, before any was written.
	DryRunSucceeded = "DryRunSucceeded"
	// SourceVerified on a Federation reports whether allowed signers signed the newest revision of every source with verify, and is
	// absent without such a source.
	SourceVerified = "SourceVerified"
	// DiskSpaceLow on a Federation is True while less than 10 % of the file system of accord's clones is free, and absent otherwise.
	DiskSpaceLow = "DiskSpaceLow"
	// MemoryPressure on a Federation is True while accord uses so much of its memory limit that it makes no plan of a new revision,
	// and absent otherwise.
	MemoryPressure = "MemoryPressure"
	Reachable      = "Reachable"
	HeldType       = "Held"
	Drifted        = "Drifted"
	// MutatedType is True while an applied field has another value on a cluster although accord owns the field, and absent
	// otherwise: admission on the cluster changed the field.
	MutatedType = "Mutated"
	// CompleteAPIEnablements on a Cluster is Karmada's condition: status.apiEnablements has every kind that the cluster serves.
	CompleteAPIEnablements = "CompleteAPIEnablements"
	// ResourceSummaryAvailable on a Cluster is True when status.resourceSummary is up to date, Unknown with the reason Requested
	// when a plan needs it, and False when it cannot be measured.
	ResourceSummaryAvailable = "ResourceSummaryAvailable"
	// FailoverBlocked on a Cluster that is not Ready is True while accord adds no taint NoExecute, because accord doubts its own network:
	// many clusters are not Ready, or the witness is unreachable. It is False afterwards until the cluster is Ready, and absent
	// otherwise. On a Federation it is True while accord evicts nothing although a cluster has to be evicted from, and absent otherwise.
	FailoverBlocked = "FailoverBlocked"
)

// Reasons of the condition FailoverBlocked.
const (
	ManyClustersNotReady = "ManyClustersNotReady"
	FewClustersNotReady  = "FewClustersNotReady"
	// WitnessUnreachable and WitnessReachable are about --failover-witness.
	WitnessUnreachable = "WitnessUnreachable"
	WitnessReachable   = "WitnessReachable"
	// EvictionsBlocked on a Federation: evictions are due that a rule of its settings or of the objects delays or forbids.
	EvictionsBlocked = "EvictionsBlocked"
)

// Reasons of the condition Ready of a Cluster, as Karmada spells them (Karmada 5.2). accord adds reasons for a cluster that it refuses.
const (
	// ClusterReady: its API server answers and accepts the credentials.
	ClusterReady = "ClusterReady"
	// ClusterNotReachable: its API server does not answer.
	ClusterNotReachable = "ClusterNotReachable"
	// ClusterNotReady: its API server answers with an error.
	ClusterNotReady = "ClusterNotReady"
	// ClusterStatusUnknown: the replica that owns the cluster has not reported a probe for a long time.
	ClusterStatusUnknown = "ClusterStatusUnknown"
	// ClusterStatusNeverUpdated: no probe has finished yet.
	ClusterStatusNeverUpdated = "ClusterStatusNeverUpdated"
	// AgentNotConnected: no agent of a cluster in pull mode has reported yet.
	AgentNotConnected = "AgentNotConnected"
)

// Keys of the taints that accord knows by name, as Karmada spells them (Karmada 1.8). accord sets the first two itself in the status of a
// Cluster, by its condition Ready. "accord cordon" sets the third one, and "accord drain" the last one, which is accord's own: nothing
// tolerates it, and with the effect NoExecute every object leaves the cluster.
const (
	TaintNotReady      = "cluster.karmada.io/not-ready"
	TaintUnreachable   = "cluster.karmada.io/unreachable"
	TaintUnschedulable = "cluster.karmada.io/unschedulable"
	TaintDrain         = "accord.dev/drain"
)
