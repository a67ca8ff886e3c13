package check

import (
	"fmt"
	"time"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/check/podspec"
)

var shortToleration = Check{
	Code:     "short-toleration",
	Severity: propagate.Warning,
	Summary:  "an application failover that waits for less time than a workload can need to start",
	Why: "A copy that is not healthy yet counts as unhealthy. If it is not healthy within `tolerationSeconds` (default 300), accord " +
		"evicts it, and the replacement begins to start on the next cluster: the workload moves from cluster to cluster and is healthy " +
		"on none. The time that a workload can need is that of its `startupProbe` (`initialDelaySeconds`, and `periodSeconds` for each " +
		"failure of `failureThreshold`) or the `initialDelaySeconds` of its `readinessProbe`, plus `minReadySeconds`. If the manifest " +
		"states a longer `progressDeadlineSeconds`, that counts. The least is one minute, in which a node can pull the image.",
	Fix: "Raise `tolerationSeconds` of the policy above the time that the finding names, or shorten the probe.",
	Example: `
kind: PropagationPolicy
metadata: {name: web, namespace: shop}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: web}]   # startupProbe: {periodSeconds: 10, failureThreshold: 30}
  propagateDeps: true
  failover: {application: {decisionConditions: {tolerationSeconds: 120}}}   # the probe allows 300 seconds`,
	reads: func(_ *Review, o *object) string { return fmt.Sprint(podspec.Start(o.manifest.Get())) },
	run: func(r *Review) []propagate.Finding {
		var findings []propagate.Finding
		for _, p := range r.in.Policies {
			if f := p.Spec.Failover; f != nil && f.Application != nil && f.Application.DecisionConditions.TolerationSeconds != nil {
				findings = append(findings, tooShort(p, int64(*f.Application.DecisionConditions.TolerationSeconds), r.won()[p.Title()])...)
			}
		}
		return findings
	},
}

// tooShort returns the finding about the workload that can need the most time to start, if that is more than the tolerated time.
func tooShort(p *policy.Policy, tolerated int64, objects []*object) []propagate.Finding {
	longest, reason, id, slow := tolerated, "", "", 0
	for _, o := range objects {
		needs, why := podspec.Start(o.manifest.Get())
		if needs > tolerated {
			slow++
		}
		if needs > longest {
			longest, reason, id = needs, why, short(o.ID)
		}
	}
	if slow == 0 {
		return nil
	}
	also := ""
	if slow > 1 {
		also = fmt.Sprintf("; %s %s more than is tolerated, too", phrase.Count(slow-1, "other object"), phrase.Plural(slow-1, "needs", "need"))
	}
	seconds := func(n int64) string { return phrase.Duration(time.Duration(n) * time.Second) }
	return one(p.At("spec.failover.application.decisionConditions.tolerationSeconds"), fmt.Sprintf("write tolerationSeconds: %d or more", longest),
		"%s evicts %s when it is unhealthy for %s, and it can need %s to start (%s)%s", p.Title(), id, seconds(tolerated), seconds(longest), reason, also)
}
