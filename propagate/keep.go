package propagate

import (
	"fmt"
	"maps"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate/decision"
)

// KeepReason returns the reason why accord must not prune an object that a cluster still has and ForCluster no longer
// lists; empty if it may. labels are those of the live object. accord keeps
//   - an object that a suspension covers, and everything on a cluster that people hold: held means no delete either
//     (B13);
//   - an object that a policy claims while no choice is possible (B17), or while the cluster cannot list the API of the
//     kind: a failed read deletes nothing;
//   - an object that a kept object needs whose policy sends its dependencies along;
//   - a Namespace, while an object in it would be kept, or was evicted a short time ago.
func (p *Plan) KeepReason(cluster string, id manifest.ID, labels map[string]string) string {
	if why := p.HoldReason(cluster, id, labels); why != "" {
		return why
	}
	if it, known := p.items.get(id); known {
		if why := p.keepReason(it.decision, cluster); why != "" {
			return why
		}
	}
	if id.GroupKind() == namespaceKind {
		return p.namespaceKeepReason(cluster, id.Name)
	}
	return ""
}

// HoldReason returns the reason of the hold that covers an object on a cluster, whether or not the plan has the object: people
// hold the cluster, or a policy suspends the object; empty without one.
func (p *Plan) HoldReason(cluster string, id manifest.ID, labels map[string]string) string {
	if why := p.Hold(cluster); why != "" {
		return why
	}
	if it, known := p.items.get(id); known {
		return it.decision.Policy.SuspensionOn(cluster)
	}
	return p.rules.claims.Winner(id, manifest.Whole(manifest.Bare(id, labels))).SuspensionOn(cluster)
}

// keepReason returns the reason why an object that is in Git stays on a cluster that should not have it.
func (p *Plan) keepReason(d *decision.Decision, cluster string) string {
	if why := d.KeepReason(cluster); why != "" {
		return why
	}
	if i, known := p.members.Index[cluster]; known && d.Policy != nil {
		if apis := p.members.All[i].APIs; apis != nil && apis.Enablement(d.GVK) == fleet.Unknown {
			return fmt.Sprintf("cluster %s could not list all its APIs, and may serve %s", cluster, d.GVK.Kind)
		}
	}
	for _, owner := range p.owners(d.ID) {
		if why := owner.decision.KeepReason(cluster); why != "" {
			return fmt.Sprintf("%s needs it and is kept: %s", owner.decision.ID, why)
		}
	}
	return ""
}

// Evicted returns the objects whose old copy an eviction deletes from a cluster, sorted: evicted workloads, with the dependencies that
// only they needed there. It holds whether or not the Federation prunes. HoldReason and KeepReason are empty for each.
func (p *Plan) Evicted(cluster string) []manifest.ID {
	if len(p.evictions) == 0 {
		return nil
	}
	evicted := map[manifest.ID]bool{}
	add := func(id manifest.ID) {
		if it, _ := p.items.get(id); !it.decision.On(cluster) && p.KeepReason(cluster, id, it.manifest.Get().GetLabels()) == "" {
			evicted[id] = true
		}
	}
	for id := range p.evictions {
		if it, known := p.items.get(id); known && it.decision.Evictions.Purges(cluster) {
			add(id)
		}
	}
	for id, owners := range p.relations.dependents {
		if slices.ContainsFunc(owners, func(owner manifest.ID) bool { return evicted[owner] }) {
			add(id)
		}
	}
	return slices.SortedFunc(maps.Keys(evicted), manifest.ID.Compare)
}

// namespaceKeepReason returns the reason why a namespace must stay for objects that are, or may be, in it.
func (p *Plan) namespaceKeepReason(cluster, namespace string) string {
	for _, d := range p.Decisions {
		if d.ID.Namespace != namespace {
			continue
		}
		if why := p.keepReason(d, cluster); why != "" {
			return fmt.Sprintf("%s in it is kept: %s", d.ID, why)
		}
		if d.Evictions.Leave(cluster) {
			return fmt.Sprintf("%s in it was evicted from %s, and may return after the cooldown", d.ID, cluster)
		}
	}
	for _, c := range p.rules.claims.In(namespace) {
		if why := c.SuspensionOn(cluster); why != "" {
			return "objects in it may be held: " + why
		}
	}
	return ""
}

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
