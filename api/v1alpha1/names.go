package v1alpha1

// Labels and annotations of the hub objects.
const (
	// FederationLabel is on every Release, Delivery and FederatedObject: the name of its Federation.
	FederationLabel = "accord.dev/federation"
	// ClusterLabel is on every Delivery: the name of its Cluster.
	ClusterLabel = "accord.dev/cluster"
	// RevisionLabelPrefix plus the name of a source labels a Release with the 40-digit commit of that source.
	RevisionLabelPrefix = "revision.accord.dev/"
	// RequestedAtAnnotation asks for a reconciliation now; its value is echoed in status.lastHandledReconcileAt.
	RequestedAtAnnotation = "reconcile.accord.dev/requestedAt"
	// ApprovedPlanAnnotation on a Release approves plans of it by digest ("sha256:<hex>", several separated by commas), where the
	// Federation requires approval.
	ApprovedPlanAnnotation = "accord.dev/approved-plan"
	// ApprovePlanTrailer begins a line of a commit message that approves a plan; its digest follows.
	ApprovePlanTrailer = "Accord-Approve-Plan: "
	// AcknowledgeRemovedAnnotation on a Federation is a time (RFC 3339): somebody looked after the clusters that left until then, and
	// they are not listed in its status any more.
	AcknowledgeRemovedAnnotation = "accord.dev/acknowledge-removed-clusters"
	// CommitStatusAnnotation on a Release is what the forges of its sources were told last, so that a restart tells nothing twice.
	CommitStatusAnnotation = "accord.dev/commit-status"
	// SourceLabel is on a Cluster that a Git source declares: "<namespace>.<federation>".
	SourceLabel = "accord.dev/declared-by"
	// RecordRemovalFinalizer is on a Cluster that something was delivered to. A Cluster that is deleted goes when every
	// Federation has written down what stays there (status.left), and at the latest after a minute.
	RecordRemovalFinalizer = "accord.dev/record-removal"
)

// What is on the objects that accord puts on members.
const (
	// FieldManager owns the fields that come from Git.
	FieldManager = "accord"
	// DigestAnnotation says which version of the rendered object is live.
	DigestAnnotation = "accord.dev/digest"
	// PreserveAnnotation "true" keeps the object when it is no longer wanted (preserveResourcesOnDeletion).
	PreserveAnnotation = "accord.dev/preserve"
	// AdoptedAnnotation "true" is on a Namespace that existed before; it is never deleted.
	AdoptedAnnotation = "accord.dev/adopted"
	// ForceAnnotation with the value ForceEnabled, on an object in Git, allows that it is deleted and made anew where the
	// API server says of a field that it cannot be changed.
	ForceAnnotation = "accord.dev/force"
	ForceEnabled    = "enabled"
	// PartOfLabel is the ApplySet membership label of KEP-3659.
	PartOfLabel = "applyset.kubernetes.io/part-of"
	// ApplySetLabel, ToolingAnnotation and KindsAnnotation are on the parent of an ApplySet; Tooling is who keeps it.
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
	// Approved is on a Release of a Federation that requires approval.
	Approved = "Approved"
	// DryRunSucceeded is on a Release whose changes were tried on the clusters before any of them was written.
	DryRunSucceeded = "DryRunSucceeded"
	Reachable       = "Reachable"
	HeldType        = "Held"
	Drifted         = "Drifted"
	// CompleteAPIEnablements is Karmada's, on a Cluster: status.apiEnablements has every kind that it serves.
	CompleteAPIEnablements = "CompleteAPIEnablements"
	// ResourceSummaryAvailable on a Cluster is True when status.resourceSummary is up to date, Unknown with the reason Requested
	// when a plan needs it, and False when it cannot be measured.
	ResourceSummaryAvailable = "ResourceSummaryAvailable"
)
