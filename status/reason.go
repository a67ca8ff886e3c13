package status

import "github.com/fluxcd/pkg/apis/meta"

// Reasons with the spelling and the meaning of Flux.
const (
	ReconciliationSucceeded = meta.ReconciliationSucceededReason
	ReconciliationFailed    = meta.ReconciliationFailedReason
	Succeeded               = meta.SucceededReason
	Progressing             = meta.ProgressingReason
	ProgressingWithRetry    = meta.ProgressingWithRetryReason
	Suspended               = meta.SuspendedReason
	BuildFailed             = meta.BuildFailedReason
	HealthCheckFailed       = meta.HealthCheckFailedReason
)

// Reasons of our own.
const (
	// Held: some clusters deliberately do not get the wanted state; all others are done. On a Release that awaits
	// approval: none of its plan is delivered.
	Held = "Held"
	// NotApproved: the plan waits for approval, and none of it is delivered.
	NotApproved = "NotApproved"
	// ApprovalRefused: the plan waits for approval, because an approval of it does not count: it names no approver, or an excluded one.
	ApprovalRefused = "ApprovalRefused"
	// PreflightFailed: a cluster rejects an object of the plan, so none of the plan is written anywhere.
	PreflightFailed = "PreflightFailed"
	// ClustersUnreachable: some clusters are unreachable; all others are done or held.
	ClustersUnreachable = "ClustersUnreachable"
	// NoClusterFits: a policy claims the object, and no cluster was chosen.
	NoClusterFits = "NoClusterFits"
	// Unschedulable: no new choice of clusters could be made for an object, and the last one is kept.
	Unschedulable = "Unschedulable"
	// ApplyFailed: a cluster refused an object.
	ApplyFailed = "ApplyFailed"
	// PruneBlocked: the revision would delete more than the prune limits allow; only a commit overrides them.
	PruneBlocked = "PruneBlocked"
	// DeletionBlocked: a deleted object is still there after the deletion timeout; somebody has to remove its finalizer.
	DeletionBlocked = "DeletionBlocked"
	// Mutated: admission on a cluster changed fields that accord applied; the same apply has the same result.
	Mutated = "Mutated"
	// Superseded: a newer commit overtook this one.
	Superseded = "Superseded"
	// FetchFailed: a source cannot be read. The previous plan stays active.
	FetchFailed = "FetchFailed"
	// NotObserved: the process was restarted and cannot observe the clusters, because the plan of their revision cannot be
	// made again.
	NotObserved = "NotObserved"
	// Connected: the cluster answers.
	Connected = "Connected"
	// Unreachable: the cluster does not answer.
	Unreachable = "Unreachable"
	// BreakerOpen: so many requests to the cluster failed that accord only sends probes.
	BreakerOpen = "BreakerOpen"
	// ContentionDetected: another writer changes the same object back again and again; accord repairs it with increasing intervals.
	ContentionDetected = "ContentionDetected"
	// Corrected: somebody else changed our objects, and accord repaired them.
	Corrected = "Corrected"
)
