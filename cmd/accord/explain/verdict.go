package explain

import (
	"fmt"
	"slices"

	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/phrase"
)

// verdict returns "apps/Deployment shop/web goes to 28 of 30 clusters, 84 replicas in all; held on 1".
func (r *ObjectReport) verdict() string {
	if r.only != "" {
		return r.verdictOn()
	}
	var chosen, held, failed, counted int
	var replicas int64
	for _, c := range r.Clusters {
		if !c.Chosen {
			continue
		}
		chosen++
		if c.Held != "" {
			held++
		}
		if c.Error != "" {
			failed++
		}
		if c.Replicas != nil {
			counted, replicas = counted+1, replicas+int64(*c.Replicas)
		}
	}
	if r.fleet == 0 && r.Policy != nil {
		return fmt.Sprintf("%s is claimed by %s, and there is no cluster to send it to", r.id, r.Policy.Policy)
	}
	if chosen == 0 {
		return fmt.Sprintf("%s goes to none of %s: %s", r.id, phrase.Count(r.fleet, "cluster"), r.Why)
	}
	line := fmt.Sprintf("%s goes to %d of %s", r.id, chosen, phrase.Count(r.fleet, "cluster"))
	if counted > 0 {
		line += fmt.Sprintf(", %s in all", phrase.Count(int(replicas), "replica"))
	}
	if held > 0 {
		line += fmt.Sprintf("; held on %d", held)
	}
	if failed > 0 {
		line += fmt.Sprintf("; cannot be rendered for %d", failed)
	}
	if r.Why != "" {
		line += "; no new choice could be made"
	}
	return line
}

// verdictOn returns the verdict on the one requested cluster.
func (r *ObjectReport) verdictOn() string {
	i := slices.IndexFunc(r.Clusters, func(c Decision) bool { return c.Cluster == r.only })
	if i < 0 {
		return fmt.Sprintf("%s does not go to %s", text.Join(": ", r.id.String(), r.Why), r.only)
	}
	switch c := r.Clusters[i]; {
	case !c.Chosen:
		return fmt.Sprintf("%s does not go to %s: %s", r.id, r.only, c.Why)
	case c.Error != "":
		return fmt.Sprintf("%s goes to %s, but cannot be rendered for it", r.id, r.only)
	case c.Held != "":
		return fmt.Sprintf("%s goes to %s, but is held there", r.id, r.only)
	case c.Replicas != nil:
		return fmt.Sprintf("%s goes to %s with %s", r.id, r.only, phrase.Count(int(*c.Replicas), "replica"))
	}
	return fmt.Sprintf("%s goes to %s", r.id, r.only)
}
