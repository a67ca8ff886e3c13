package main

import (
	"fmt"
	"strings"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// nextMistake is what to do about a commit that cannot be decided or rendered.
const nextMistake = "correct it and push (accord lint shows all mistakes); until then the clusters keep what they run"

// nextStep is what somebody can do whose commit is not done.
func nextStep(fed *v1alpha1.Federation, s sight, r result) string {
	name := fed.Name + prefixed(" -n ", fed.Namespace)
	switch r {
	case resultFailed:
		if s.Mistakes {
			return nextMistake
		}
	case resultSuperseded:
		if newer, ok := strings.CutPrefix(s.Superseded, fed.Name+"-"); ok {
			return "accord wait " + name + " --revision " + newer
		}
	case resultUnreachable:
		return "accord get clusters"
	}
	for _, w := range s.Worst {
		if w.State == v1alpha1.Failed {
			return nextWhy(w.Object, w.Cluster)
		}
	}
	return "accord status " + name
}

// nextWhy has an object of a cluster explained, "apps/Deployment shop/api", or the cluster when no object is named. It is
// for somebody in a checkout of the repository.
func nextWhy(object, cluster string) string {
	kind, name, ok := strings.Cut(object, " ")
	if !ok {
		return "accord why --cluster " + cluster
	}
	if group, short, grouped := strings.Cut(kind, "/"); grouped {
		kind = short + "." + group
	}
	if namespace, short, namespaced := strings.Cut(name, "/"); namespaced {
		name = short + " -n " + namespace
	}
	return fmt.Sprintf("accord why %s/%s -c %s", strings.ToLower(kind), name, cluster)
}
