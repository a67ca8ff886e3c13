package diff

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
)

// EffectKind is one possible consequence of a change.
type EffectKind struct {
	// Code is stable and in kebab-case; tools may refer to it.
	Code string
	// Severity is the default of its effects; an Error makes accord plan fail.
	Severity propagate.Severity
	// Summary describes the effect in one line.
	Summary string

	find func(*comparison) []Effect // without the code, and without the default severity
}

// Effects returns every kind of effect, the most important first.
func Effects() []EffectKind {
	return []EffectKind{
		failsToRender,
		immutableField,
		recreates,
		pruneBlocked,
		holdEnds,
		deletesCRD,
		deletesNamespace,
		deletesVolumeClaim,
		deletes,
		keeps,
		deletionHeld,
		losesAllClusters,
		restartsPods,
		becomesHeld,
		fallsBehind,
		noLongerHeld,
		unreachable,
		takesOver,
		changesPolicy,
		overrideStarts,
		overrideStops,
		movesReplicas,
		losesClusters,
		gainsClusters,
		clusterLeaves,
		clusterJoins,
	}
}

// effects returns the effects of all kinds, errors first.
func (c *comparison) effects() []Effect {
	all := []Effect{}
	for _, kind := range Effects() {
		found := kind.find(c)
		for i := range found {
			found[i].Code, found[i].Severity = kind.Code, cmp.Or(found[i].Severity, kind.Severity)
		}
		slices.SortStableFunc(found, func(a, b Effect) int {
			return cmp.Or(slices.CompareFunc(a.Objects, b.Objects, manifest.ID.Compare), slices.Compare(a.Clusters, b.Clusters), cmp.Compare(a.Message, b.Message))
		})
		all = append(all, found...)
	}
	slices.SortStableFunc(all, func(a, b Effect) int { return cmp.Compare(severityRank(a.Severity), severityRank(b.Severity)) })
	return all
}

func severityRank(s propagate.Severity) int {
	return slices.Index([]propagate.Severity{propagate.Error, propagate.Warning, propagate.Note}, s)
}

// effectGroup holds the objects and clusters of one effect.
type effectGroup struct {
	objects  map[manifest.ID]bool
	clusters map[string]bool
	first    *object  // by ID
	outcome  *outcome // of the first object; nil if the effect is not about outcomes
}

// grouping collects objects and clusters by a key; every key becomes one effect.
type grouping map[string]*effectGroup

func (g grouping) add(key string, o *object, clusters []string) *effectGroup {
	if g[key] == nil {
		g[key] = &effectGroup{objects: map[manifest.ID]bool{}, clusters: map[string]bool{}, first: o}
	}
	g[key].objects[o.id] = true
	for _, name := range clusters {
		g[key].clusters[name] = true
	}
	return g[key]
}

// effects returns one effect for every key, sorted by key. describe sets its message and may set more.
func (g grouping) effects(describe func(key string, e *Effect, of *effectGroup)) []Effect {
	var effects []Effect
	for _, key := range slices.Sorted(maps.Keys(g)) {
		of := g[key]
		e := Effect{
			Objects:  slices.SortedFunc(maps.Keys(of.objects), manifest.ID.Compare),
			Clusters: slices.Sorted(maps.Keys(of.clusters)), At: of.first.at(),
		}
		describe(key, &e, of)
		effects = append(effects, e)
	}
	return effects
}

// groupOutcomes groups the outcomes with an action by the key that a function returns.
func (c *comparison) groupOutcomes(v Action, key func(*object, *outcome) (string, bool)) grouping {
	g := grouping{}
	for _, o := range c.objects {
		for _, s := range o.outcomes {
			if s.action != v {
				continue
			}
			if k, ok := key(o, s); ok {
				if of := g.add(k, o, s.clusters); of.outcome == nil {
					of.outcome = s
				}
			}
		}
	}
	return g
}

// eachOutcome calls visit for every pair of object and cluster with an outcome.
func (c *comparison) eachOutcome(visit func(o *object, s *outcome, cluster string)) {
	for _, o := range c.objects {
		for _, s := range o.outcomes {
			for _, name := range s.clusters {
				visit(o, s, name)
			}
		}
	}
}

// without returns the clusters that are not in a set.
func without(clusters []string, some map[string]bool) []string {
	return slices.DeleteFunc(slices.Clone(clusters), func(name string) bool { return some[name] })
}

func joinKey(parts ...string) string { return strings.Join(parts, "\x00") }
