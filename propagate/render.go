package propagate

import (
	"encoding/json"
	"errors"
	"hash"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/applyorder"
	"github.com/accord-dev/accord/propagate/digest"
	"github.com/accord-dev/accord/propagate/splice"
	"github.com/accord-dev/accord/render"
	"github.com/accord-dev/accord/render/override"
)

// ForCluster returns the plan of one cluster. It renders the objects on the first call and keeps them; callers share
// the result and must not change it. The plan of an unknown cluster is empty.
func (p *Plan) ForCluster(cluster string) ClusterPlan {
	i, known := p.members.Index[cluster]
	if !known {
		return ClusterPlan{Cluster: cluster}
	}
	t := p.items.byCluster[i]
	t.once.Do(func() {
		if t.base == nil || !t.patch(p, i) {
			t.plan = p.render(i)
		}
		var room []byte
		t.digest.Fill(len(t.plan.Objects), func(h hash.Hash, at int) digest.Sum {
			room = t.plan.Objects[at].write(h, room)
			return digest.Sum(t.plan.Objects[at].sum)
		})
		t.base, t.out, t.in = nil, nil, nil
	})
	return t.plan
}

// patch makes the plan of a cluster from that of base, and renders the objects that changed. It reports false if one of them cannot be
// rendered.
func (t *clusterItems) patch(p *Plan, cluster int) bool {
	gone, made := make([]Placed, len(t.out)), make([]Placed, len(t.in))
	for i, a := range t.out {
		gone[i].Rendered = &Rendered{ID: a.item.decision.ID}
	}
	for i, a := range t.in {
		rendered, err := p.result(a, cluster)
		if err != nil {
			return false
		}
		made[i] = p.placed(a, rendered)
	}
	t.plan, t.digest = ClusterPlan{Cluster: t.base.plan.Cluster}, t.base.digest
	t.plan.Objects, _ = splice.List(t.base.plan.Objects, gone, made, func(a, b Placed) int { return applyorder.Compare(a.ID, b.ID) })
	return true
}

func (p *Plan) placed(a assigned, rendered *Rendered) Placed {
	return Placed{Rendered: rendered, Held: p.Held(*a.choice), Overwrite: a.item.overwrite, Implied: a.choice.Implied}
}

// render renders every object of a cluster. A failure does not stop the others.
func (p *Plan) render(cluster int) ClusterPlan {
	assigned := p.items.byCluster[cluster].items
	made := ClusterPlan{Cluster: p.members.All[cluster].Name, Objects: make([]Placed, 0, len(assigned))}
	for _, a := range assigned {
		rendered, err := p.result(a, cluster)
		if err != nil {
			d := a.item.decision
			made.Failed = append(made.Failed, Failure{ID: d.ID, Origin: d.Origin, Held: p.Held(*a.choice), Err: err})
			continue
		}
		made.Objects = append(made.Objects, p.placed(a, rendered))
	}
	return made
}

// result is one object rendered for all clusters with the same key.
type result struct {
	key      string
	rendered *Rendered
	err      error
}

// result renders an object for a cluster, or returns the result of a cluster with the same key.
func (p *Plan) result(a assigned, cluster int) (*Rendered, error) {
	var room [64]byte
	key := p.key(room[:0], a, cluster)
	a.item.mu.Lock()
	defer a.item.mu.Unlock()
	if r, known := find(a.item.results, key); known {
		return r.rendered, r.err
	}
	if r, known := find(a.item.reusable, key); known {
		a.item.results = append(a.item.results, r)
		return r.rendered, r.err
	}
	rendered, err := p.finish(a, cluster)
	if err == nil {
		rendered = a.item.shared(rendered)
	}
	a.item.results = append(a.item.results, result{string(key), rendered, err})
	return rendered, err
}

// peek is result without keeping what it renders.
func (p *Plan) peek(a assigned, cluster int) (*Rendered, error) {
	var room [64]byte
	key := p.key(room[:0], a, cluster)
	a.item.mu.Lock()
	r, known := find(a.item.results, key)
	a.item.mu.Unlock()
	if known {
		return r.rendered, r.err
	}
	return p.finish(a, cluster)
}

func find(results []result, key []byte) (result, bool) {
	for _, r := range results {
		if r.key == string(key) {
			return r, true
		}
	}
	return result{}, false
}

// key appends the key of a result: clusters with the same key get the same object.
func (p *Plan) key(b []byte, a assigned, cluster int) []byte {
	return p.rules.overrides.Key(a.choice.AppendKey(b), a.item.candidates, cluster)
}

// shared returns an existing result with the same content and edits, or made.
func (it *item) shared(made *Rendered) *Rendered {
	for _, r := range it.results {
		if r.err != nil || r.rendered.Digest != made.Digest || r.rendered.sum != made.sum {
			continue
		}
		if slices.Equal(r.rendered.Edits, made.Edits) {
			return r.rendered
		}
		made.Body = r.rendered.Body
	}
	return made
}

// finish makes the object as it will be on the cluster: replicas, server-set fields, overrides, marks (Karmada §3.1).
func (p *Plan) finish(a assigned, cluster int) (*Rendered, error) {
	it, d := a.item, a.item.decision
	u, err := p.template(a)
	if err != nil {
		return nil, err
	}
	edits, err := p.rules.overrides.Apply(u, it.candidates, cluster)
	if err != nil {
		return nil, err
	}
	if id := manifest.IDOf(u); id != d.ID {
		return nil, d.IdentityChanged(id, edits)
	}
	return p.mark(u, it, edits)
}

// template returns the object with its replicas and preserved labels, before any override.
func (p *Plan) template(a assigned) (*unstructured.Unstructured, error) {
	u := a.item.manifest.Copy()
	if a.choice.Replicas != nil && a.item.kind.SetReplicas != nil {
		a.item.kind.SetReplicas(u, *a.choice.Replicas)
	}
	if a.choice.Completions != nil {
		if err := unstructured.SetNestedField(u.Object, int64(*a.choice.Completions), "spec", "completions"); err != nil {
			return nil, a.item.decision.Mistake("setting completions: %v", err)
		}
	}
	for key, value := range a.choice.Labels {
		if err := manifest.Put(u, "labels", key, value); err != nil {
			return nil, a.item.decision.Mistake("setting the preserved labels: %v", err)
		}
	}
	render.Strip(u)
	return u, nil
}

// mark sets the label and annotations that identify our object and its version, and encodes it. It drops marks of the
// manifest itself: they belong to another version, or another federation.
func (p *Plan) mark(u *unstructured.Unstructured, it *item, edits []override.Edit) (*Rendered, error) {
	unstructured.RemoveNestedField(u.Object, "metadata", "annotations", v1alpha1.DigestAnnotation)
	unstructured.RemoveNestedField(u.Object, "metadata", "labels", v1alpha1.PartOfLabel)
	var errs []error
	if it.preserve || it.decision.Preserve {
		errs = append(errs, manifest.Put(u, "annotations", v1alpha1.PreserveAnnotation, "true"))
	}
	sum := render.SumOf(u)
	digest := sum.Digest()
	errs = append(errs,
		manifest.Put(u, "annotations", v1alpha1.DigestAnnotation, digest), manifest.Put(u, "labels", v1alpha1.PartOfLabel, p.rules.applySet))
	text, err := json.Marshal(u.Object)
	if err := errors.Join(append(errs, err)...); err != nil {
		return nil, it.decision.Mistake("%v", err)
	}
	return &Rendered{
		ID: it.decision.ID, GVK: u.GroupVersionKind(), Digest: digest, Body: p.texts.Keep(u.GetKind(), text), Origin: it.decision.Origin, Edits: edits, Yields: p.yields(it),
		sum: sum,
	}, nil
}
