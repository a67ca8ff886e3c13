package check

import (
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate"
)

var goesNowhere = Check{
	Code:     "goes-nowhere",
	Severity: propagate.Warning,
	Summary:  "an object that goes to no cluster",
	Why: "A policy claims the object and no cluster fits its placement; existing objects are kept. The finding is a note if no " +
		"policy claims the object, or if accord never propagates its kind or namespace: this may be intended. Karmada does not " +
		"report such objects.",
	Fix: "Let a policy select the object, or correct the placement: the message has the reason for each cluster. `accord why` shows " +
		"all reasons.",
	Example: `
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: shop}   # and no policy selects it`,
	run: func(r *Review) []propagate.Finding {
		type reason struct{ path, why string }
		groups := map[reason][]*object{}
		for _, o := range r.objects {
			if o.Why == "" || len(o.Chosen) > 0 || o.Lazy || policy.Configures(o.ID.Group) {
				continue
			}
			if o.Policy != nil && (len(r.fleet) == 0 || r.waits(o.Policy)) {
				continue
			}
			key := reason{o.Origin.Source + "//" + o.Origin.Path, o.Why}
			groups[key] = append(groups[key], o)
		}
		var findings []propagate.Finding
		for _, objects := range groups { // Run sorts
			findings = append(findings, nowhere(objects))
		}
		return findings
	},
}

// nowhere returns the finding about objects of one file that go to no cluster for one reason.
func nowhere(objects []*object) propagate.Finding {
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
