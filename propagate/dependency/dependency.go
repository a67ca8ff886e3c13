// Package dependency decides whether a Federation may start a new revision: those that spec.dependsOn names have to be ready before.
package dependency

import (
	"cmp"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// Problem is a kind of reason why a Federation does not start a revision.
type Problem string

const (
	// NotReady: the named Federation is not ready, or has not seen the commit. It is only a matter of time.
	NotReady Problem = "DependencyNotReady"
	// NotFound: there is no such Federation.
	NotFound Problem = "DependencyNotFound"
	// Forbidden: another Tenant governs the namespace, or none does.
	Forbidden Problem = "DependencyForbidden"
	// Cycle: the Federation depends on itself, directly or by others.
	Cycle Problem = "DependencyCycle"
)

// Wait is the reason why a Federation does not start a revision. Message has the rule and the fix.
type Wait struct {
	Problem Problem
	Message string
}

// Federations are the Federations of a hub in the namespaces that may be read.
type Federations struct {
	known   map[types.NamespacedName]*v1alpha1.Federation
	mayRead func(namespace string) bool
}

// NewFederations returns those of a list in the namespaces that may be read. No message says whether others exist.
func NewFederations(all []v1alpha1.Federation, mayRead func(namespace string) bool) Federations {
	fs := Federations{map[types.NamespacedName]*v1alpha1.Federation{}, mayRead}
	for i := range all {
		if f := &all[i]; mayRead(f.Namespace) {
			fs.known[types.NamespacedName{Namespace: f.Namespace, Name: f.Name}] = f
		}
	}
	return fs
}

// Of returns what a Federation waits for before it starts a revision; nil if it may start.
func (fs Federations) Of(fed *v1alpha1.Federation, revision string) *Wait {
	for _, on := range Keys(fed) {
		if !fs.mayRead(on.Namespace) {
			return &Wait{Forbidden, fmt.Sprintf("spec.dependsOn names Federation %s, and a Federation may depend only on those of its own Tenant: "+
				"remove the entry, or ask an administrator to add namespace %s to the Tenant", on, on.Namespace)}
		}
	}
	if cycle := fs.cycle(fed); cycle != nil {
		return &Wait{Cycle, cycleMessage(cycle)}
	}
	for _, on := range Keys(fed) {
		if wait := fs.wait(fed, on, revision); wait != nil {
			return wait
		}
	}
	return nil
}

// Mistake is a cycle among Federations. Message has the rule and the fix.
type Mistake struct {
	First   int // place in the list of the first Federation of the cycle
	Message string
}

// Cycles returns the cycles among Federations, each once, in the order of the list.
func Cycles(all []v1alpha1.Federation) []Mistake {
	fs := NewFederations(all, func(string) bool { return true })
	var mistakes []Mistake
	reported := map[types.NamespacedName]bool{}
	for i := range all {
		cycle := fs.cycle(&all[i])
		if cycle == nil || reported[cycle[0]] {
			continue
		}
		for _, key := range cycle {
			reported[key] = true
		}
		mistakes = append(mistakes, Mistake{i, cycleMessage(cycle)})
	}
	return mistakes
}

// cycle returns the Federations on a way from one back to itself, with it at both ends; nil without any.
func (fs Federations) cycle(fed *v1alpha1.Federation) []types.NamespacedName {
	self := types.NamespacedName{Namespace: fed.Namespace, Name: fed.Name}
	for _, on := range Keys(fed) {
		if path := fs.path(on, self, nil); path != nil {
			return append([]types.NamespacedName{self}, path...)
		}
	}
	return nil
}

// wait returns what a Federation waits for at one that it depends on.
func (fs Federations) wait(fed *v1alpha1.Federation, on types.NamespacedName, revision string) *Wait {
	d := fs.known[on]
	switch {
	case d == nil:
		return &Wait{NotFound, fmt.Sprintf("spec.dependsOn names Federation %s, which does not exist: create it, or remove the entry", on)}
	case !Ready(d):
		return &Wait{NotReady, fmt.Sprintf("waits for Federation %s, which is not ready: accord status %s -n %s shows why", on, on.Name, on.Namespace)}
	case sameSource(fed, d) && d.Status.LastAttemptedRevision != revision:
		return &Wait{NotReady, fmt.Sprintf("waits for Federation %s, which has the same source and has not read this commit: accord reconcile %s -n %s reads it now", on, on.Name, on.Namespace)}
	}
	return nil
}

// Keys returns the Federations in spec.dependsOn.
func Keys(fed *v1alpha1.Federation) []types.NamespacedName {
	var all []types.NamespacedName
	for _, d := range fed.Spec.DependsOn {
		all = append(all, types.NamespacedName{Namespace: cmp.Or(d.Namespace, fed.Namespace), Name: d.Name})
	}
	return all
}

// path returns the Federations on a way from one to another, with both; nil without any. passed are those that lead nowhere, or are on the
// way.
func (fs Federations) path(from, to types.NamespacedName, passed map[types.NamespacedName]bool) []types.NamespacedName {
	if from == to {
		return []types.NamespacedName{to}
	}
	if passed == nil {
		passed = map[types.NamespacedName]bool{}
	}
	f := fs.known[from]
	if f == nil || passed[from] {
		return nil
	}
	passed[from] = true
	for _, next := range Keys(f) {
		if rest := fs.path(next, to, passed); rest != nil {
			return append([]types.NamespacedName{from}, rest...)
		}
	}
	return nil
}

// cycleMessage names the Federations of a cycle, "shop/web -> shop/db -> shop/web".
func cycleMessage(cycle []types.NamespacedName) string {
	names := make([]string, len(cycle))
	for i, key := range cycle {
		names[i] = key.String()
	}
	return fmt.Sprintf("a cycle in spec.dependsOn, in which each Federation waits for the next: %s. Remove one of the entries", strings.Join(names, " -> "))
}

// Ready reports whether the status is about the present spec, and Ready.
func Ready(f *v1alpha1.Federation) bool {
	c := meta.FindStatusCondition(f.Status.Conditions, "Ready")
	return f.DeletionTimestamp == nil && c != nil && c.Status == "True" && c.ObservedGeneration == f.Generation && f.Status.ObservedGeneration == f.Generation
}

// sameSource reports whether both Federations read the same reference of the same repository, and nothing else: their revisions can be
// compared then.
func sameSource(a, b *v1alpha1.Federation) bool {
	if len(a.Spec.Sources) != 1 || len(b.Spec.Sources) != 1 {
		return false
	}
	x, y := a.Spec.Sources[0], b.Spec.Sources[0]
	return x.URL != "" && x.URL == y.URL && refOf(x) == refOf(y)
}

func refOf(s v1alpha1.Source) v1alpha1.Ref {
	if s.Ref == nil {
		return v1alpha1.Ref{}
	}
	return *s.Ref
}
