// Package control lists the manifests that decide about clusters and are no rendered objects: declared Clusters and Federations, scripts
// and health expressions, RolloutPolicies, RecoveryPlans, ClusterTaintPolicies, and suspensions. A plan with the same objects and other control
// manifests has another digest, so that nobody approves the one by reading the other.
package control

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/json"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/status/interpret"
)

// Declared are the Clusters and Federations of the hub that Git declares.
type Declared struct {
	// Clusters are sorted by name; see DeclaredClusters.
	Clusters    []v1alpha1.Cluster `json:"clusters,omitempty"`
	Federations []Federation       `json:"federations,omitempty"`
}

// Federation is a Federation that Git declares, with the place of its manifest.
type Federation struct {
	v1alpha1.Federation
	Origin manifest.Origin `json:"origin"`
}

// Title returns "Federation prod/shop".
func (f Federation) Title() string { return "Federation " + f.Namespace + "/" + f.Name }

// Set has the control manifests of an input.
type Set struct {
	Declared       Declared
	Customizations []policy.Customization
	Health         []interpret.HealthExprs
	Rollouts       []policy.Rollout
	Recoveries     []policy.Recovery
	TaintPolicies  []policy.TaintPolicy
	Policies       []*policy.Policy
	// Origins of the Clusters, by name.
	Origins map[string]manifest.Origin
}

// Suspension is the kind of the item for the suspension of a propagation policy.
const Suspension = "Suspension"

// Item is one control manifest.
type Item struct {
	// Kind is that of the manifest, HealthCheckExpr for an entry of the Federation, or Suspension for that of a propagation policy.
	// Name is "shop/web", "standard" without a namespace, "apps/v1 Deployment", or "PropagationPolicy shop/web".
	Kind, Name string
	At         manifest.Origin
	// Content has the fields that decide, with their defaults, as JSON has them.
	Content map[string]any
}

// Title returns "RolloutPolicy shop/web".
func (i Item) Title() string { return i.Kind + " " + i.Name }

// Items returns the control manifests, sorted by kind and name. They depend neither on the order nor on the place of the manifests.
func (s Set) Items() []Item {
	var all []Item
	add := func(title string, at manifest.Origin, content any) {
		kind, name, _ := strings.Cut(title, " ")
		all = append(all, Item{Kind: kind, Name: name, At: at, Content: fields(content)})
	}
	for _, c := range s.Declared.Clusters {
		content := map[string]any{"spec": c.Spec}
		if len(c.Labels) > 0 {
			content["labels"] = c.Labels
		}
		add("Cluster "+c.Name, s.Origins[c.Name], content)
	}
	for _, f := range s.Declared.Federations {
		add(f.Title(), f.Origin, map[string]any{"spec": f.Spec})
	}
	for _, c := range s.Customizations {
		add(c.Title(), c.Origin, map[string]any{"spec": c.Spec})
	}
	for _, h := range s.Health {
		add("HealthCheckExpr "+h.APIVersion+" "+h.Kind, h.At, map[string]any{"current": h.Current, "inProgress": h.InProgress, "failed": h.Failed})
	}
	for _, r := range s.Rollouts {
		content := map[string]any{"spec": r.Spec}
		if len(r.Commands) > 0 {
			content["commands"] = sorted(r.Commands)
		}
		add(r.Title(), r.Origin, content)
	}
	for _, r := range s.Recoveries {
		add(r.Title(), r.Origin, map[string]any{"spec": r.Spec})
	}
	for _, t := range s.TaintPolicies {
		add(t.Title(), t.Origin, map[string]any{"spec": t.Spec})
	}
	for _, p := range s.Policies {
		if p.Spec.Suspension != nil { // it also holds the deletion of objects that left Git; the plan renders the rest
			add(Suspension+" "+p.Title(), p.Origin, map[string]any{
				"resourceSelectors": p.Spec.ResourceSelectors, "priority": p.Spec.Priority, "suspension": p.Spec.Suspension,
			})
		}
	}
	slices.SortStableFunc(all, func(a, b Item) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name)) })
	return all
}

// sorted returns commands in a fixed order: they are annotations, which have none.
func sorted(commands []policy.Command) []policy.Command {
	return slices.SortedFunc(slices.Values(commands), func(a, b policy.Command) int { return cmp.Compare(a.String(), b.String()) })
}

// Digest identifies control manifests: "sha256:<hex>", empty if there are none.
func Digest(items []Item) string {
	if len(items) == 0 {
		return ""
	}
	h := sha256.New()
	for _, i := range items {
		content, err := json.Marshal(i.Content)
		if err != nil { // impossible: it was JSON
			panic(err)
		}
		fmt.Fprintf(h, "%q %q %s\n", i.Kind, i.Name, content)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// fields returns a value as JSON has it.
func fields(value any) map[string]any {
	text, err := json.Marshal(value)
	if err != nil { // impossible: the value was decoded from a manifest
		panic(err)
	}
	var content map[string]any
	if err := json.Unmarshal(text, &content); err != nil {
		panic(err)
	}
	return content
}

// DeclaredClusters returns the parts of Clusters that Git declares: name, labels and spec. The SHA-256 of a value stands for the values of
// spec.proxyHeader and for the password in spec.proxyURL.
func DeclaredClusters(clusters []v1alpha1.Cluster) []v1alpha1.Cluster {
	all := make([]v1alpha1.Cluster, len(clusters))
	for i, c := range clusters {
		d := &all[i]
		d.Name, d.Labels, d.Spec = c.Name, maps.Clone(c.Labels), *c.Spec.DeepCopy()
		for name, value := range d.Spec.ProxyHeader {
			d.Spec.ProxyHeader[name] = hidden(value)
		}
		if u, err := url.Parse(d.Spec.ProxyURL); err == nil && u.User != nil {
			password, _ := u.User.Password()
			u.User = url.UserPassword(u.User.Username(), hidden(password))
			d.Spec.ProxyURL = u.String()
		}
	}
	return all
}

// hidden returns the digest of a secret value.
func hidden(value string) string {
	sum := sha256.Sum256([]byte(value))
	return "hidden-" + hex.EncodeToString(sum[:])
}
