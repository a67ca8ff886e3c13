package propagate

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate/divide"
	"github.com/accord-dev/accord/propagate/place"
	"github.com/accord-dev/accord/status/kind"
)

// choose decides about one object: may it go anywhere, who claims it, which clusters fit, how many replicas each gets,
// and where it is held.
func (p *Plan) choose(d *Decision, u *unstructured.Unstructured, known kind.Kind) {
	if d.Why = never(d.ID, u); d.Why != "" {
		p.refuse(d, d.Why, d.Origin)
		return
	}
	if d.Policy = p.claims.claim(u); d.Policy == nil {
		d.Why = unclaimed(d.ID)
		p.refuse(d, d.Why, d.Origin)
		return
	}
	placement := d.Policy.Spec.Placement
	if why, field := place.Unsupported(placement); why != "" {
		at := d.Policy.At("spec.placement." + field)
		d.Why = fmt.Sprintf("%s (%s); what runs is left as it is", why, at)
		p.refuse(d, why, at)
		return
	}
	p.spread(d, p.fitting(d), u, known)
	if len(d.Chosen) == 0 {
		d.Why = nobody(d)
	}
}

// refuse refuses every cluster for one reason.
func (p *Plan) refuse(d *Decision, why string, at manifest.Origin) {
	d.Refused = make([]Refusal, len(p.clusters))
	for i, c := range p.clusters {
		d.Refused[i] = Refusal{Cluster: c.Name, Why: why, At: at}
	}
}

// fitting are the clusters that pass every filter; the others are refused.
func (p *Plan) fitting(d *Decision) []place.Candidate {
	var fit []place.Candidate
	q := place.Question{Placement: d.Policy.Spec.Placement}
	for _, c := range p.clusters {
		if why, field := q.Refuses(c); why != "" {
			d.Refused = append(d.Refused, Refusal{c.Name, why, d.Policy.At("spec.placement." + field)})
			continue
		}
		fit = append(fit, place.Candidate{Cluster: c})
	}
	return fit
}

// spread chooses among the clusters that fit, and gives each its replicas. Only objects with a replica count are
// divided; of the others every cluster gets one as it is (Karmada §4.6).
func (p *Plan) spread(d *Decision, fit []place.Candidate, u *unstructured.Unstructured, known kind.Kind) {
	counted := false
	var total int32
	if known.Replicas != nil {
		total, counted = known.Replicas(u)
	}
	if !counted {
		for _, c := range fit {
			d.Chosen = append(d.Chosen, Choice{Cluster: c.Cluster.Name, Held: held(d.Policy, c.Cluster.Name)})
		}
		return
	}
	shares, _ := divide.Replicas(divide.Request{
		Total: total, Scheduling: d.Policy.Spec.Placement.ReplicaScheduling, Candidates: fit, Seed: seed(d.ID),
	})
	for i, share := range shares {
		if share.Refused != "" {
			d.Refused = append(d.Refused, Refusal{fit[i].Cluster.Name, share.Refused, d.Policy.At("spec.placement." + share.Field)})
			continue
		}
		d.Chosen = append(d.Chosen, Choice{Cluster: fit[i].Cluster.Name, Replicas: &share.Replicas, Held: held(d.Policy, fit[i].Cluster.Name)})
	}
	slices.SortFunc(d.Refused, func(a, b Refusal) int { return strings.Compare(a.Cluster, b.Cluster) })
	complete(d, u)
}

// complete divides the completions of a divided Job in proportion to its parallelism (Karmada §4.9).
func complete(d *Decision, u *unstructured.Unstructured) {
	s := d.Policy.Spec.Placement.ReplicaScheduling
	if d.ID.GroupKind() != jobKind || s == nil || s.ReplicaSchedulingType != policy.Divided {
		return
	}
	completions, found, err := unstructured.NestedInt64(u.Object, "spec", "completions")
	if !found || err != nil || completions < 0 || completions > math.MaxInt32 {
		return // the API server will say what is wrong with it
	}
	parties := make([]divide.Party, len(d.Chosen))
	for i, c := range d.Chosen {
		parties[i] = divide.Party{Name: c.Cluster, Votes: int64(*c.Replicas)}
	}
	if !slices.ContainsFunc(parties, func(p divide.Party) bool { return p.Votes > 0 }) {
		return // nothing runs; the template stays as it is
	}
	for i, n := range divide.Webster(int32(completions), parties, seed(d.ID)) {
		d.Chosen[i].Completions = new(n)
	}
}

// seed stands in for the UID that an object in Git does not have: it decides ties, the same way for ever (B15).
func seed(id manifest.ID) uint32 {
	h := fnv.New32a()
	h.Write([]byte(id.Group + "/" + id.Kind + "/" + id.Namespace + "/" + id.Name))
	return h.Sum32()
}

// unclaimed is why an object that no policy selects goes nowhere.
func unclaimed(id manifest.ID) string {
	if id.Namespace == "" {
		return "no ClusterPropagationPolicy selects it"
	}
	return fmt.Sprintf("no PropagationPolicy in namespace %s and no ClusterPropagationPolicy selects it", id.Namespace)
}

// nobody is why an object that a policy claims goes nowhere.
func nobody(d *Decision) string {
	if len(d.Refused) == 0 {
		return "there is no cluster"
	}
	const shown = 3
	var reasons []string
	for _, r := range d.Refused[:min(shown, len(d.Refused))] {
		reasons = append(reasons, r.Cluster+" "+r.Why)
	}
	if more := len(d.Refused) - shown; more > 0 {
		reasons = append(reasons, fmt.Sprintf("and %d more", more))
	}
	return fmt.Sprintf("no cluster fits the placement of %s (%s): %s; what runs is left as it is",
		d.Policy.Title(), placementAt(d.Policy), strings.Join(reasons, ", "))
}

func placementAt(p *policy.Policy) manifest.Origin { return p.At("spec.placement") }
