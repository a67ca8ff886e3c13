package propagate

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/accord-dev/accord/api/manifest"
)

// Digest returns an identifier of the whole plan: "sha256:<hex>" over all decisions, all rendered objects and all control
// manifests (package control). It depends neither on the revision nor on the place or order of the manifests: two commits with the same digest have the
// same effect everywhere. Digest renders every object, so ForCluster is cheap after it.
func (p *Plan) Digest() string {
	p.digest.once.Do(func() {
		items := p.items.all
		Concurrently(len(items), func(i int) { // results that the loop below reads
			if p.digest.of.lacks(i) {
				items[i].digestOnce(p)
			}
		})
		p.digest.of.fill(len(items), func(h hash.Hash, i int) {
			s := items[i].digestOnce(p)
			h.Write(s[:])
		})
		p.digest.text = p.digest.of.over(p.head())
		p.digest.made.Store(true)
	})
	return p.digest.text
}

// planDigest has the answer of Digest, made once.
type planDigest struct {
	once sync.Once
	made atomic.Bool
	of   chunked
	text string
}

// Control returns the digest of the control manifests: "sha256:<hex>", empty without any.
func (p *Plan) Control() string { return p.control }

// digestOnce returns the digest of one object and renders the object for it. It drops the results of the earlier plan.
func (it *item) digestOnce(p *Plan) Sum {
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
func (p *Plan) DigestOf(sum func(manifest.ID) Sum) string {
	var of chunked
	of.fill(len(p.items.all), func(h hash.Hash, i int) {
		s := sum(p.items.all[i].decision.ID)
		h.Write(s[:])
	})
	return of.over(p.head())
}

// head returns the parts of the digest beside the objects.
func (p *Plan) head() []byte {
	var b bytes.Buffer
	writeLine(&b, "federation", p.rules.applySet)
	for _, c := range p.members.all {
		writeLine(&b, "cluster", c.Name)
	}
	if p.control != "" {
		writeLine(&b, "control", p.control)
	}
	return b.Bytes()
}

// ClusterDigest returns an identifier of a cluster's plan, held and failed objects included: "sha256:<hex>".
func (p *Plan) ClusterDigest(cluster string) string {
	made := p.ForCluster(cluster)
	if i, known := p.members.index[cluster]; known {
		return p.items.byCluster[i].digest.over(made.failures())
	}
	return new(chunked).over(made.failures())
}

// write writes what identifies one object of a cluster.
func (o Placed) write(h hash.Hash, b []byte) []byte {
	b = appendTexts(b[:0], "object", o.ID.Group, o.ID.Kind, o.ID.Namespace, o.ID.Name)
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
		b = appendTexts(b, "failed", f.ID.Group, f.ID.Kind, f.ID.Namespace, f.ID.Name)
		b = strconv.AppendBool(b, f.Held != "")
	}
	return b
}

// appendTexts appends texts with their lengths.
func appendTexts(b []byte, texts ...string) []byte {
	for _, s := range texts {
		b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
	}
	return b
}

// writeLine writes values unambiguously: strings are quoted, and nil differs from zero.
func writeLine(b *bytes.Buffer, values ...any) {
	text := b.AvailableBuffer()
	for _, v := range values {
		switch v := v.(type) {
		case string:
			text = strconv.AppendQuote(text, v)
		case bool:
			text = strconv.AppendBool(text, v)
		case *int32:
			if v != nil {
				text = strconv.AppendInt(text, int64(*v), 10)
			}
		case manifest.ID:
			for _, part := range []string{v.Group, v.Kind, v.Namespace, v.Name} {
				text = strconv.AppendQuote(text, part)
			}
		}
		text = append(text, ',')
	}
	b.Write(append(text, '\n'))
}

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return "sha256:" + hex.EncodeToString(s[:])
}
