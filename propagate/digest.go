package propagate

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strconv"

	"github.com/accord-dev/accord/api/manifest"
)

// Digest returns an identifier of the whole plan: "sha256:<hex>" over all decisions, all rendered objects and all control
// manifests (package control). It depends neither on the revision nor on the place or order of the manifests: two commits with the same digest have the
// same effect everywhere. Digest renders every object, so ForCluster is cheap after it.
func (p *Plan) Digest() string { return p.digest() }

// Control returns the digest of the control manifests: "sha256:<hex>", empty without any.
func (p *Plan) Control() string { return p.control }

func (p *Plan) computeDigest() string {
	sums := make([]Sum, len(p.items.all))
	at := make(map[manifest.ID]int, len(p.items.all))
	for i, it := range p.items.all {
		at[it.decision.ID] = i
	}
	Concurrently(len(p.items.all), func(i int) { sums[i] = p.items.all[i].digestOnce(p) })
	return p.DigestOf(func(id manifest.ID) Sum { return sums[at[id]] })
}

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
	h := sha256.New()
	var b bytes.Buffer
	writeLine(&b, "federation", p.rules.applySet)
	for _, c := range p.members.all {
		writeLine(&b, "cluster", c.Name)
	}
	if p.control != "" {
		writeLine(&b, "control", p.control)
	}
	h.Write(b.Bytes())
	for _, it := range p.items.all {
		s := sum(it.decision.ID)
		h.Write(s[:])
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// ClusterDigest returns an identifier of a cluster's plan, held and failed objects included: "sha256:<hex>".
func (p *Plan) ClusterDigest(cluster string) string {
	made := p.ForCluster(cluster)
	if i, known := p.members.index[cluster]; known {
		return p.items.byCluster[i].digest
	}
	return made.sum()
}

// sum covers the objects in apply order, which follows from their IDs.
func (t ClusterPlan) sum() string {
	b := make([]byte, 0, 128*len(t.Objects))
	text := func(parts ...string) {
		for _, s := range parts {
			b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
		}
	}
	for _, o := range t.Objects {
		text("object", o.ID.Group, o.ID.Kind, o.ID.Namespace, o.ID.Name)
		b = append(b, o.Rendered.sum[:]...)
		for _, is := range []bool{o.Held != "", o.Overwrite, o.Implied} {
			b = strconv.AppendBool(b, is)
		}
	}
	for _, f := range t.Failed {
		text("failed", f.ID.Group, f.ID.Kind, f.ID.Namespace, f.ID.Name)
		b = strconv.AppendBool(b, f.Held != "")
	}
	return sum(b)
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
