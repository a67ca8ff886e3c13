package tenancy

import (
	"fmt"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/phrase"
)

// Sources returns the refusals of the sources of a Federation, before any of them is fetched.
func (r *Rules) Sources(sources []v1alpha1.Source) []Refusal {
	if r == nil {
		return nil
	}
	var all []Refusal
	for _, s := range sources {
		if s.Cluster != nil {
			all = append(all, r.live(s)...)
			continue
		}
		if why := r.refusesURL(s.URL); why != "" {
			all = append(all, r.refuse("spec.sources", fmt.Sprintf("source %q", s.Name), why,
				"use another repository, or ask an administrator to add its URL to spec.sources of the Tenant"))
		}
	}
	return all
}

func (r *Rules) refusesURL(url string) string {
	for _, glob := range r.Tenant.Spec.Sources {
		if glob == everything {
			return ""
		}
	}
	canonical, plain := canonicalURL(url)
	switch {
	case !plain:
		return `its URL has "..", an encoded slash, a query or another part that a server may read as another repository`
	case r.sources.match(canonical) < 0:
		return "its URL matches none of spec.sources (" + phrase.List(r.Tenant.Spec.Sources, maxNamed) + ")"
	}
	return ""
}
