package propagate

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate/digest"
	"github.com/accord-dev/accord/propagate/rendercache"
	"github.com/accord-dev/accord/render"
)

// Remembering returns a function that is ForObject without the content of results: it takes their digests from memo, and adds those
// that memo lacks. It returns ForObject if memo is nil.
func (p *Plan) Remembering(memo *rendercache.Memo) func(manifest.ID) (*ObjectPlan, bool) {
	if memo == nil {
		return p.ForObject
	}
	contents, err := p.rules.overrides.Contents()
	if err != nil {
		return p.ForObject
	}
	return func(id manifest.ID) (*ObjectPlan, bool) {
		it, ok := p.items.get(id)
		if !ok {
			return nil, false
		}
		var room [512]byte
		from := digest.Line(room[:0]).Text(p.rules.interpreters.ID).ID(id).Bool(it.preserve || it.decision.Preserve).Text(it.decision.Template)
		from = binary.AppendUvarint(from, uint64(len(it.candidates)))
		for _, c := range it.candidates {
			from = append(from, contents[c][:]...)
		}
		return p.forObject(it, nil, func(a assigned, cluster int) (*Rendered, error) {
			key := digest.Sum(sha256.Sum256(p.key(from, a, cluster))) // the next key replaces this one behind from
			if e, known := memo.Get(key); known {
				return &Rendered{ID: id, Edits: e.Edits, sum: render.Sum(e.Sum)}, nil
			}
			rendered, err := p.peek(a, cluster)
			if err == nil {
				memo.Put(key, rendercache.Entry{Sum: digest.Sum(rendered.sum), Edits: rendered.Edits})
			}
			return rendered, err
		}), true
	}
}
