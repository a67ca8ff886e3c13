package view

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/phrase"
)

// PolicyList is the policies that claim objects in the active plans.
type PolicyList struct {
	Verdict  string         `json:"verdict"`
	Policies []policyStatus `json:"policies"`
	// Unclaimed counts the objects that no policy claims.
	Unclaimed int `json:"unclaimed"`
}

// DocumentKind implements text.Document.
func (*PolicyList) DocumentKind() string { return "PolicyList" }

// policyStatus is the status of the objects of one policy.
type policyStatus struct {
	// Namespace of the Federation on the hub.
	Namespace  string `json:"namespace"`
	Federation string `json:"federation"`
	// Policy is "shop/web" or, cluster-wide, "web".
	Policy   string   `json:"policy"`
	Objects  int      `json:"objects"`
	Clusters []string `json:"clusters"`
	// Placements counts each object on each of its clusters.
	Placements v1alpha1.Summary `json:"placements"`
	// Observed counts the objects that every decided cluster runs in the wanted version.
	Observed int `json:"observed"`
	// Worst is the most important problem; empty if there is none.
	Worst string `json:"worst,omitempty"`

	worst v1alpha1.State
}

// newPolicyView groups the objects by the policy that claims them.
func newPolicyView(objects []v1alpha1.FederatedObject) *PolicyList {
	type key struct{ namespace, federation, policy string }
	v := &PolicyList{Policies: []policyStatus{}}
	claimed := map[key][]*v1alpha1.FederatedObject{}
	for i := range objects {
		o := &objects[i]
		if o.Spec.Policy == "" {
			v.Unclaimed++
			continue
		}
		k := key{o.Namespace, o.Spec.Federation, o.Spec.Policy}
		claimed[k] = append(claimed[k], o)
	}
	for k, list := range claimed {
		p := policyStatus{Namespace: k.namespace, Federation: k.federation, Policy: k.policy, Objects: len(list)}
		p.count(list)
		v.Policies = append(v.Policies, p)
	}
	slices.SortFunc(v.Policies, func(a, b policyStatus) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Federation, b.Federation), cmp.Compare(a.Policy, b.Policy))
	})
	v.Verdict = v.verdict()
	return v
}

func (p *policyStatus) count(objects []*v1alpha1.FederatedObject) {
	clusters := map[string]bool{}
	slices.SortFunc(objects, func(a, b *v1alpha1.FederatedObject) int { return cmp.Compare(a.Name, b.Name) })
	for _, o := range objects {
		for _, variant := range o.Spec.Results {
			for _, c := range variant.Clusters {
				clusters[c] = true
			}
		}
		sum, s := &p.Placements, o.Status.Summary
		sum.Total, sum.Applied, sum.Healthy = sum.Total+s.Total, sum.Applied+s.Applied, sum.Healthy+s.Healthy
		sum.Progressing, sum.Failed = sum.Progressing+s.Progressing, sum.Failed+s.Failed
		sum.Held, sum.Unreachable = sum.Held+s.Held, sum.Unreachable+s.Unreachable
		if o.Status.ObservedGeneration == o.Generation {
			p.Observed++
		}
		p.noteWorst(o)
	}
	p.Clusters = slices.Sorted(maps.Keys(clusters))
}

// noteWorst records the problem of an object, unless a worse one is recorded.
func (p *policyStatus) noteWorst(o *v1alpha1.FederatedObject) {
	t := o.Spec.Template
	name := t.Kind + " " + text.Join("/", t.Namespace, t.Name)
	if o.Spec.Message != "" && p.worst != v1alpha1.Failed {
		p.Worst, p.worst = name+": "+o.Spec.Message, v1alpha1.Failed
	}
	for _, c := range o.Status.Clusters {
		worse := p.worst == "" && c.State == v1alpha1.Unreachable || p.worst != v1alpha1.Failed && c.State == v1alpha1.Failed
		if worse {
			p.Worst, p.worst = text.Join(": ", c.Cluster+" "+name, cmp.Or(c.Message, string(c.State))), c.State
		}
	}
}

func (p policyStatus) healthy() bool {
	return p.Placements.Total > 0 && p.Placements.Healthy == p.Placements.Total && p.Observed == p.Objects
}

// only returns the view of the policies of one name.
func (v *PolicyList) only(name string) *PolicyList {
	one := &PolicyList{Policies: slices.DeleteFunc(slices.Clone(v.Policies), func(p policyStatus) bool { return p.Policy != name })}
	one.Verdict = one.verdict()
	return one
}

// verdict returns "2 of 3 policies are healthy everywhere; no policy claims 4 objects".
func (v *PolicyList) verdict() string {
	fine := 0
	for _, p := range v.Policies {
		if p.healthy() {
			fine++
		}
	}
	line := fmt.Sprintf("%d of %s healthy everywhere", fine, phrase.Count(len(v.Policies), "policy"))
	if len(v.Policies) == 0 {
		line = "no policy claims anything"
	}
	if v.Unclaimed > 0 {
		line += "; no policy claims " + phrase.Count(v.Unclaimed, "object")
	}
	return line
}

func (v *PolicyList) write(out io.Writer, f text.Format) error {
	if f == text.AsJSON || f == text.AsYAML {
		return text.Encode(out, f, v)
	}
	var b strings.Builder
	fmt.Fprintln(&b, v.Verdict)
	head := []string{"NAMESPACE", "FEDERATION", "POLICY", "OBJECTS", "CLUSTERS", "APPLIED", "HEALTHY", "HELD", "OBSERVED", "WORST"}
	if f == text.AsWide {
		head = append(head, "NAMES")
	}
	rows := [][]string{head}
	for _, p := range v.Policies {
		of := func(n int32) string { return fmt.Sprintf("%d/%d", n, p.Placements.Total) }
		row := []string{
			p.Namespace, p.Federation, p.Policy, fmt.Sprint(p.Objects), fmt.Sprint(len(p.Clusters)),
			of(p.Placements.Applied), of(p.Placements.Healthy), fmt.Sprint(p.Placements.Held),
			fmt.Sprintf("%d/%d", p.Observed, p.Objects), cmp.Or(p.Worst, "-"),
		}
		if f == text.AsWide {
			row = append(row, cmp.Or(strings.Join(p.Clusters, ","), "-"))
		}
		rows = append(rows, row)
	}
	if err := text.Table(&b, "", rows); err != nil {
		return err
	}
	_, err := io.WriteString(out, b.String())
	return err
}
