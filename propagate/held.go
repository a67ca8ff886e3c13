package propagate

import (
	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate/decision"
)

// Hold returns the reason why people hold a cluster at the time of the plan, with everything of the federation there;
// empty when they do not.
func (p *Plan) Hold(cluster string) string { return p.members.Holds[cluster] }

// Holds reports whether people hold a cluster, or a policy suspends objects.
func (p *Plan) Holds() bool { return len(p.members.Holds) > 0 || p.rules.claims.Suspends() }

// Held returns the reason why a chosen object is held: a policy suspends the object, people hold the cluster, or both;
// empty otherwise. Stages hold objects in addition (package staged).
func (p *Plan) Held(c decision.Choice) string { return phrase.Reasons(c.Held, p.Hold(c.Cluster)) }

// HeldOn returns the reason why a policy suspends an object on a cluster, or people hold the cluster, whether or not
// the plan places the object there; empty when neither is so.
func (p *Plan) HeldOn(cluster string, id manifest.ID) string {
	why := p.Hold(cluster)
	if it, known := p.items.get(id); known {
		why = phrase.Reasons(it.decision.Policy.SuspensionOn(cluster), why)
	}
	return why
}
