package check

import (
	"fmt"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
)

var goesNowhere = Check{
	Code:     "goes-nowhere",
	Severity: propagate.Warning,
	Summary:  "an object that goes to no cluster",
	Why: "A policy claims the object and no cluster fits its placement; existing objects are kept. The finding is a note if no " +
		"policy claims the object, if the policy places by free resources and no Cluster declares them, or if accord never propagates its kind or namespace: this may be intended. Karmada does not " +
		"report such objects.",
	Fix: "Let a policy select the object, or correct the placement: the message has the reason for each cluster. `accord why` shows " +
		"all reasons.",
	Example: `
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: shop}   # and no policy selects it`,
	reads: func(r *Review, o *object) string {
		if !r.nowhere(o) {
			return ""
		}
		return fmt.Sprint(o.Origin, o.Why, r.plan.Unjudged(o.Decision))
	},
	run: func(r *Review) []propagate.Finding {
		type reason struct{ path, why string }
		groups := map[reason][]*object{}
		var unjudged []*object
		for _, o := range r.objects {
			if !r.nowhere(o) {
				continue
			}
			if r.plan.Unjudged(o.Decision) {
				if o.Policy != nil {
					unjudged = append(unjudged, o)
				}
				continue
			}
			key := reason{o.Origin.Source + "//" + o.Origin.Path, o.Why}
			groups[key] = append(groups[key], o)
		}
		findings := r.unknownRoom(unjudged)
		for _, objects := range groups { // Run sorts
			findings = append(findings, unplaced(objects))
		}
		return findings
	},
}

// nowhere reports whether an object goes to no cluster for a reason that no other check reports.
func (r *Review) nowhere(o *object) bool {
	if o.Why == "" || len(o.Chosen) > 0 || o.Lazy || policy.Configures(o.ID.Group) {
		return false
	}
	return o.Policy == nil || !r.waits(o.Policy)
}

// unknownRoom returns one note about all objects that are placed by free resources, when those of clusters are unknown.
func (r *Review) unknownRoom(objects []*object) []propagate.Finding {
	if len(objects) == 0 || len(r.fleet) == 0 {
		return nil
	}
	var unknown []string
	for _, c := range r.fleet {
		if c.Resources == nil {
			unknown = append(unknown, c.Name)
		}
	}
	return []propagate.Finding{note(objects[0].Origin, "write status.resourceSummary of the Clusters, or plan with a hub, which measures the resources",
		"the free resources of %s are not known, so the clusters of %s are not judged", phrase.And(unknown, named), some(objects))}
}

// unplaced returns the finding about objects of one file that go to no cluster for one reason.
func unplaced(objects []*object) propagate.Finding {
	verb := "go"
	if len(objects) == 1 {
		verb = "goes"
	}
	f := at(objects[0].Origin, "", "%s %s to no cluster: %s", some(objects), verb, objects[0].Why)
	if objects[0].Policy == nil {
		f.Severity = propagate.Note
	}
	return f
}
