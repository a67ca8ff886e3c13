package propagate

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strconv"

	"github.com/accord-dev/accord/api/manifest"
)

// Digest identifies the whole plan: "sha256:<hex>" over all decisions and everything that every cluster should have.
// It does not depend on where the manifests stand, nor on the revision, nor on the order of the input: two commits
// with the same digest mean the same everywhere. It renders every object, and what For gives is ready then.
func (p *Plan) Digest() string { return p.digest() }

func (p *Plan) computeDigest() string {
	sums := make([]Sum, len(p.items))
	at := make(map[manifest.ID]int, len(p.items))
	for i, it := range p.items {
		at[it.decision.ID] = i
	}
	Concurrently(len(p.items), func(i int) { sums[i] = p.items[i].digestOnce(p) })
	return p.DigestOf(func(id manifest.ID) Sum { return sums[at[id]] })
}

// digestOnce is the sum of one object, which renders it. What was rendered before is needed no longer then.
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

// DigestOf is the Digest of the plan, for who has the sums of all its Objects.
func (p *Plan) DigestOf(sum func(manifest.ID) Sum) string {
	h := sha256.New()
	var b bytes.Buffer
	for _, c := range p.clusters {
		writeLine(&b, "cluster", c.Name)
	}
	h.Write(b.Bytes())
	for _, it := range p.items {
		s := sum(it.decision.ID)
		h.Write(s[:])
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// ClusterDigest identifies what one cluster should have, what is held there and what failed included: "sha256:<hex>".
func (p *Plan) ClusterDigest(cluster string) string {
	made := p.ForCluster(cluster)
	if i, known := p.index[cluster]; known {
		return p.byCluster[i].digest
	}
	return made.sum()
}

// sum is over the objects in the order in which they are applied, which follows from what they are.
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

// writeLine writes values so that no two lists of them read the same: strings are quoted, and nil is not zero.
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
