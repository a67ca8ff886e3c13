package propagate

import (
	"hash"
	"strconv"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate/concurrent"
	"github.com/accord-dev/accord/propagate/digest"
)

// Digest returns an identifier of the whole plan: "sha256:<hex>" over all decisions, all rendered objects and all control
// manifests (package control). It depends neither on the revision nor on the place or order of the manifests: two commits with the same digest have the
// same effect everywhere. Digest renders every object, so ForCluster is cheap after it.
func (p *Plan) Digest() string {
	p.digest.once.Do(func() {
		items := p.items.all
		missing := p.digest.of.Missing(len(items))
		concurrent.Do(len(missing), func(i int) { items[missing[i]].digestOnce(p) }) // which the loop below reads
		p.digest.of.FillSums(len(items), func(i int) digest.Sum { return items[i].digestOnce(p) })
		p.digest.text = p.digest.of.Over(p.head())
	})
	return p.digest.text
}

// planDigest has the answer of Digest, made once.
type planDigest struct {
	once concurrent.Once
	of   digest.List
	text string
}

// Control returns the digest of the control manifests: "sha256:<hex>", empty without any.
func (p *Plan) Control() string { return p.control }

// digestOnce returns the digest of one object and renders the object for it. It drops the results of the earlier plan.
func (it *item) digestOnce(p *Plan) digest.Sum {
	it.mu.Lock()
	sum, known := it.digest, it.digested
	it.mu.Unlock()
	if !known {
		sum = p.forObject(it, nil, p.result).Sum()
	}
	it.mu.Lock()
	defer it.mu.Unlock()
	it.digest, it.digested, it.reusable = sum, true, nil
	return sum
}

// DigestOf returns the Digest of the plan from the sums of all its Objects.
func (p *Plan) DigestOf(sum func(manifest.ID) digest.Sum) string {
	var of digest.List
	of.FillSums(len(p.items.all), func(i int) digest.Sum { return sum(p.items.all[i].decision.ID) })
	return of.Over(p.head())
}

// head returns the parts of the digest beside the objects.
func (p *Plan) head() []byte {
	b := digest.Line(nil).Texts("federation", p.rules.applySet).End()
	for i := range p.members.All {
		b = b.Texts("cluster", p.members.All[i].Name).End()
	}
	if p.control != "" {
		b = b.Texts("control", p.control).End()
	}
	return b
}

// ClusterDigest returns an identifier of a cluster's plan, held and failed objects included: "sha256:<hex>".
func (p *Plan) ClusterDigest(cluster string) string {
	made := p.ForCluster(cluster)
	if i, known := p.members.Index[cluster]; known {
		return p.items.byCluster[i].digest.Over(made.failures())
	}
	return new(digest.List).Over(made.failures())
}

// write writes what identifies one object of a cluster.
func (o Placed) write(h hash.Hash, b []byte) []byte {
	b = digest.AppendTexts(b[:0], "object", o.ID.Group, o.ID.Kind, o.ID.Namespace, o.ID.Name)
	b = append(b, o.Rendered.sum[:]...)
	for _, is := range []bool{o.Held != "", o.Overwrite, o.Implied} {
		b = strconv.AppendBool(b, is)
	}
	h.Write(b)
	return b
}

// failures returns what identifies the objects that cannot be rendered.
func (t ClusterPlan) failures() []byte {
	var b []byte
	for _, f := range t.Failed {
		b = digest.AppendTexts(b, "failed", f.ID.Group, f.ID.Kind, f.ID.Namespace, f.ID.Name)
		b = strconv.AppendBool(b, f.Held != "")
	}
	return b
}
