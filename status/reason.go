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
	// Held: some clusters deliberately do not get what was decided; all others are done. Of a Release that waits for
	// approval: none of its plan is delivered.
	Held = "Held"
	// NotApproved: the plan waits for approval, and none of it is delivered.
	NotApproved = "NotApproved"
	// PreflightFailed: a cluster refuses something of the plan, and so none of it is written anywhere.
	PreflightFailed = "PreflightFailed"
	// ClustersUnreachable: some clusters are not heard from; all others are done or held.
	ClustersUnreachable = "ClustersUnreachable"
	// NoClusterFits: a policy claims the object, and no cluster was chosen.
	NoClusterFits = "NoClusterFits"
	// Unschedulable: no new choice of clusters could be made for an object, and the last one is kept.
	Unschedulable = "Unschedulable"
	// ApplyFailed: a cluster refused an object.
	ApplyFailed = "ApplyFailed"
	// PruneBlocked: the revision would delete more than the prune brake allows; only a commit lifts it.
	PruneBlocked = "PruneBlocked"
	// Superseded: a newer commit overtook this one.
	Superseded = "Superseded"
	// FetchFailed: a source cannot be read. What was decided before stays in force.
	FetchFailed = "FetchFailed"
	// Connected: the cluster answers.
	Connected = "Connected"
	// Unreachable: the cluster does not answer.
	Unreachable = "Unreachable"
	// BreakerOpen: so many requests to the cluster failed that nothing but probes is sent there.
	BreakerOpen = "BreakerOpen"
	// Fighting: somebody else changes the same object again and again, and it is changed back less and less often.
	Fighting = "Fighting"
	// Corrected: somebody else changed objects of ours, and they were changed back.
	Corrected = "Corrected"
)
