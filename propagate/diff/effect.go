package diff

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
)

// EffectKind is one thing that a change can mean.
type EffectKind struct {
	// Code is stable and in kebab-case; tools may refer to it.
	Code string
	// Severity of its effects; Error decides the exit code.
	Severity propagate.Severity
	// Summary is one line: what it tells.
	Summary string

	find func(*comparison) []Effect // without code and, where it is the usual one, severity
}

// Effects is every kind of effect, the most important first.
func Effects() []EffectKind {
	return []EffectKind{
		failsToRender,
		cannotChange,
		madeAnew,
		pruneBrake,
		deletesDefinition,
		deletesNamespace,
		deletesClaim,
		deletes,
		keeps,
		staysHeld,
		goesNowhere,
		restartsPods,
		becomesHeld,
		staysBehind,
		released,
		unreachable,
		takesOver,
		changesOwner,
		overrideStarts,
		overrideStops,
		movesReplicas,
		losesClusters,
		gainsClusters,
		clusterLeaves,
		clusterJoins,
	}
}

// effects are all there are, errors first.
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
	slices.SortStableFunc(all, func(a, b Effect) int { return cmp.Compare(grade(a.Severity), grade(b.Severity)) })
	return all
}

func grade(s propagate.Severity) int {
	return slices.Index([]propagate.Severity{propagate.Error, propagate.Warning, propagate.Note}, s)
}

// gathered are objects and clusters that one effect is about.
type gathered struct {
	objects  map[manifest.ID]bool
	clusters map[string]bool
	first    *object // by ID
	span     *span   // of it; nil where the effect is not about spans
}

// gathering collects by a key that says what is one effect.
type gathering map[string]*gathered

func (g gathering) add(key string, o *object, clusters []string) *gathered {
	if g[key] == nil {
		g[key] = &gathered{objects: map[manifest.ID]bool{}, clusters: map[string]bool{}, first: o}
	}
	g[key].objects[o.id] = true
	for _, name := range clusters {
		g[key].clusters[name] = true
	}
	return g[key]
}

// effects makes one effect of everything under a key. say gives the sentence, and may set more.
func (g gathering) effects(say func(key string, e *Effect, of *gathered)) []Effect {
	var effects []Effect
	for _, key := range slices.Sorted(maps.Keys(g)) {
		of := g[key]
		e := Effect{
			Objects:  slices.SortedFunc(maps.Keys(of.objects), manifest.ID.Compare),
			Clusters: slices.Sorted(maps.Keys(of.clusters)), At: of.first.at(),
		}
		say(key, &e, of)
		effects = append(effects, e)
	}
	return effects
}

// gather collects the spans with a verb by a key of their own.
func (c *comparison) gather(v Verb, key func(*object, *span) (string, bool)) gathering {
	g := gathering{}
	for _, o := range c.objects {
		for _, s := range o.spans {
			if s.verb != v {
				continue
			}
			if k, ok := key(o, s); ok {
				if of := g.add(k, o, s.clusters); of.span == nil {
					of.span = s
				}
			}
		}
	}
	return g
}

// eachPlace visits every place in which something happens.
func (c *comparison) eachPlace(visit func(o *object, s *span, cluster string)) {
	for _, o := range c.objects {
		for _, s := range o.spans {
			for _, name := range s.clusters {
				visit(o, s, name)
			}
		}
	}
}

// without is a list of clusters without some.
func without(clusters []string, some map[string]bool) []string {
	return slices.DeleteFunc(slices.Clone(clusters), func(name string) bool { return some[name] })
}

// joined is a key of several strings.
func joined(parts ...string) string { return strings.Join(parts, "\x00") }
