package explain

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate/decision"
)

// ClusterReport explains one cluster.
type ClusterReport struct {
	Verdict string `json:"verdict"`
	Cluster string `json:"cluster"`
	At      string `json:"at,omitempty"`
	// Facts are the facts about the cluster that decisions depend on, one sentence each.
	Facts []string `json:"facts"`
	// Objects counts the objects of the cluster, Replicas their replicas, Held those that are held, Of all objects of the plan.
	Objects  int   `json:"objects"`
	Replicas int64 `json:"replicas"`
	Held     int   `json:"held"`
	Of       int   `json:"of"`
	// Kinds counts the objects by kind.
	Kinds map[string]int `json:"kinds"`
	// Failed are objects that cannot be rendered for it; the cluster keeps their previous version.
	Failed []string `json:"failed,omitempty"`
	// Refused are the rules that keep objects away, those with most objects first.
	Refused []RuleGroup `json:"refused,omitempty"`
	// Holds are the reasons why objects are held.
	Holds []RuleGroup `json:"holds,omitempty"`
	// Live is the state on the hub.
	Live *LiveCluster `json:"live,omitempty"`
}

// DocumentKind implements text.Document.
func (*ClusterReport) DocumentKind() string { return "ClusterExplanation" }

// RuleGroup is one reason and its objects.
type RuleGroup struct {
	Why     string   `json:"why"`
	At      string   `json:"at,omitempty"`
	Objects []string `json:"objects"`
}

// Cluster explains one cluster.
func Cluster(p *load.PlannedTree, live *load.LiveHub, name string) *ClusterReport {
	i := slices.IndexFunc(p.Fleet(), func(c fleet.Cluster) bool { return c.Name == name })
	c := p.Fleet()[i]
	s := &ClusterReport{Cluster: name, At: c.Origin.String(), Facts: clusterFacts(c), Of: len(p.Decisions), Kinds: map[string]int{}}
	for _, d := range p.Decisions {
		s.add(p, d)
	}
	for _, f := range p.ForCluster(name).Failed {
		s.Failed = append(s.Failed, f.ID.String()+": "+f.Err.Error())
	}
	for _, rules := range [][]RuleGroup{s.Refused, s.Holds} {
		slices.SortStableFunc(rules, func(a, b RuleGroup) int { return cmp.Compare(len(b.Objects), len(a.Objects)) })
	}
	s.Verdict = s.verdict()
	s.Live = newLiveClusterReport(live, name)
	return s
}

// add adds one decision.
func (s *ClusterReport) add(p *load.PlannedTree, d *decision.Decision) {
	for _, c := range d.Chosen {
		if c.Cluster != s.Cluster {
			continue
		}
		s.Objects++
		s.Kinds[d.ID.Kind]++
		if c.Replicas != nil {
			s.Replicas += int64(*c.Replicas)
		}
		if held := p.Held(c); held != "" {
			s.Held++
			s.Holds = addToGroup(s.Holds, held, "", d)
		}
		return
	}
	if d.Policy == nil {
		return // it goes nowhere at all, which is nothing about this cluster
	}
	for _, r := range d.Refused {
		if r.Cluster == s.Cluster {
			s.Refused = addToGroup(s.Refused, r.Why, r.At.String(), d)
		}
	}
}

func addToGroup(rules []RuleGroup, why, at string, d *decision.Decision) []RuleGroup {
	i := slices.IndexFunc(rules, func(r RuleGroup) bool { return r.Why == why && r.At == at })
	if i < 0 {
		i = len(rules)
		rules = append(rules, RuleGroup{Why: why, At: at})
	}
	rules[i].Objects = append(rules[i].Objects, d.ID.String())
	return rules
}

func (s *ClusterReport) verdict() string {
	line := fmt.Sprintf("%s gets %d of %s", s.Cluster, s.Objects, phrase.Count(s.Of, "object"))
	if s.Replicas > 0 {
		line += ", " + phrase.Count(int(s.Replicas), "replica")
	}
	if s.Held > 0 {
		line += fmt.Sprintf("; %d held", s.Held)
	}
	if len(s.Failed) > 0 {
		line += fmt.Sprintf("; %d cannot be rendered", len(s.Failed))
	}
	return line
}
