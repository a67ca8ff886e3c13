// Package dryrun holds the results of the dry-runs of plans that are not active yet.
package dryrun

import (
	"time"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/status"
)

const (
	// firstRetry is the time until the first retry of a rejected plan. It doubles up to lastRetry.
	firstRetry = 2 * time.Second
	lastRetry  = time.Minute
)

// Memory has the results of the dry-runs of the newest revision. The zero Memory is that of a revision that was not tried.
type Memory struct {
	// Result is reported by the newest Release, about the plan with this digest; nil if no plan was tried.
	Result *status.Preflight
	digest string
	// rejected has the rejections of the last dry-run, failures counts the rejected dry-runs in a row. The next dry-run is due
	// then, or when the annotation that requests a reconciliation changes from requested.
	rejected  map[string]map[manifest.ID]bool
	failures  int
	due       time.Time
	requested string
	// waited are clusters that a dry-run has waited for once, because they had not been probed.
	waited map[string]bool
}

// Succeed returns the memory of the plan that becomes active after its dry-run. result is nil if plans are not tried.
func (m Memory) Succeed(plan *propagate.Plan, result *status.Preflight) Memory {
	return Memory{Result: result, digest: plan.Digest(), waited: m.waited}
}

// Forget returns the memory for a plan that was not tried.
func (m Memory) Forget() Memory { return Memory{waited: m.waited} }

// Passed returns the result of a plan that passed its dry-run; nil if the plan did not.
func (m *Memory) Passed(plan *propagate.Plan) *status.Preflight {
	if m.digest == plan.Digest() && m.Result != nil && m.Result.Passed != "" {
		return m.Result
	}
	return nil
}

// RejectedLast returns the objects of the same plan that clusters rejected the last time; nil if it was not tried before.
func (m *Memory) RejectedLast(plan *propagate.Plan) map[string]map[manifest.ID]bool {
	if m.digest != plan.Digest() {
		return nil
	}
	return m.rejected
}

// Reject records the objects of a plan that clusters rejected, and the time of the retry. requested is the value that the annotation
// that requests a reconciliation had then.
func (m *Memory) Reject(digest string, rejected map[string]map[manifest.ID]bool, requested string, now time.Time) {
	if m.digest != digest {
		m.failures = 0
	}
	m.digest, m.rejected, m.requested = digest, rejected, requested
	m.due = now.Add(min(firstRetry<<min(m.failures, 16), lastRetry))
	m.failures++
}

// Due reports whether a pending plan is to be tried now.
func (m *Memory) Due(requested string, now time.Time) bool {
	return m.rejected == nil || !now.Before(m.due) || m.requested != requested
}

// Retry returns how soon a rejected plan is tried again; zero if none was rejected.
func (m *Memory) Retry(now time.Time) time.Duration {
	if m.rejected == nil {
		return 0
	}
	return max(m.due.Sub(now), firstRetry) // also if it is overdue, and something prevents it
}

// NotWaitedFor returns the clusters that no dry-run has waited for.
func (m *Memory) NotWaitedFor(clusters []string) []string {
	var open []string
	for _, c := range clusters {
		if !m.waited[c] {
			open = append(open, c)
		}
	}
	return open
}

// WaitedFor records that a dry-run has waited for clusters: each is waited for once.
func (m *Memory) WaitedFor(clusters []string) {
	if m.waited == nil {
		m.waited = map[string]bool{}
	}
	for _, c := range clusters {
		m.waited[c] = true
	}
}
