package packed

import (
	"encoding/binary"
	"errors"
	"math"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/render"
)

// errDamaged means that a pack was not encoded by this package.
var errDamaged = errors.New("the pack is damaged")

// Pack has the groups of files of an encoded pack.
type Pack struct {
	texts  []string
	boxed  []any // the same strings
	shared []any // lists and maps
	groups [][]byte
}

// Open reads the strings of a pack. The pack and its files refer to data, which must not change.
func Open(data []byte) (*Pack, error) {
	r := &reader{rest: data}
	lengths := make([]int, r.count(1))
	sum := 0
	for i := range lengths {
		lengths[i] = r.count(0)
		if sum += lengths[i]; sum > len(data) {
			return nil, errDamaged
		}
	}
	all := string(r.take(sum))
	p := &Pack{texts: make([]string, len(lengths)), boxed: make([]any, len(lengths))}
	if !r.bad {
		for i, n := range lengths {
			p.texts[i] = all[:n]
			p.boxed[i], all = p.texts[i], all[n:]
		}
	}
	for range r.count(1) {
		part := &reader{rest: r.take(r.count(0)), pack: p}
		p.shared = append(p.shared, part.value(0))
		r.bad = r.bad || part.bad || len(part.rest) > 0
	}
	for range r.count(1) {
		p.groups = append(p.groups, r.take(r.count(0)))
	}
	if r.bad || len(r.rest) > 0 {
		return nil, errDamaged
	}
	return p, nil
}

// Groups returns the number of groups.
func (p *Pack) Groups() int { return len(p.groups) }

// Group decodes one group. Several goroutines may decode groups of a pack.
func (p *Pack) Group(i int) ([]render.StoredFile, error) {
	r := &reader{rest: p.groups[i], pack: p}
	var files []render.StoredFile
	for len(r.rest) > 0 && !r.bad {
		files = append(files, r.file())
	}
	if r.bad {
		return nil, errDamaged
	}
	return files, nil
}

// reader reads what writer wrote. After a mistake it is bad and returns zero values.
type reader struct {
	rest []byte
	pack *Pack
	bad  bool
}

func (r *reader) number() uint64 {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 {
		r.bad, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

// count reads the length of a list whose items take at least so many bytes; 0 for a length in bytes that follow later.
func (r *reader) count(least int) int {
	n := r.number()
	if n > math.MaxInt32 || least > 0 && n > uint64(len(r.rest)/least) {
		r.bad, r.rest = true, nil
		return 0
	}
	return int(n)
}

func (r *reader) take(n int) []byte {
	if n > len(r.rest) {
		r.bad, r.rest = true, nil
		return nil
	}
	taken := r.rest[:n:n]
	r.rest = r.rest[n:]
	return taken
}

func (r *reader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

// text reads the index of a string.
func (r *reader) text() (string, any) {
	i := r.number()
	if i >= uint64(len(r.pack.texts)) {
		r.bad, r.rest = true, nil
		return "", nil
	}
	return r.pack.texts[i], r.pack.boxed[i]
}

func (r *reader) file() render.StoredFile {
	var f render.StoredFile
	f.Path, _ = r.text()
	f.ContentID, _ = r.text()
	n := r.count(4)
	if n > 0 {
		f.Objects = make([]render.Object, 0, n)
	}
	for range n {
		o := render.Object{Written: &render.Written{Origin: manifest.Origin{Path: f.Path, Line: r.count(0)}}}
		o.Digest, _ = r.text()
		if r.byte() == 1 {
			o.Text = r.take(r.count(0))
		}
		fields, is := r.value(0).(map[string]any)
		if r.bad = r.bad || !is; r.bad {
			return f
		}
		o.Manifest = manifest.Whole(&unstructured.Unstructured{Object: fields})
		f.Objects = append(f.Objects, o)
	}
	return f
}

func (r *reader) value(depth int) any {
	if depth > maxDepth || r.bad {
		r.bad, r.rest = true, nil
		return nil
	}
	switch r.byte() {
	case tagNull:
		return nil
	case tagFalse:
		return false
	case tagTrue:
		return true
	case tagInt:
		n, size := binary.Varint(r.rest)
		if size <= 0 {
			break
		}
		r.rest = r.rest[size:]
		return n
	case tagFloat:
		if b := r.take(8); b != nil {
			return math.Float64frombits(binary.LittleEndian.Uint64(b))
		}
	case tagString:
		_, boxed := r.text()
		return boxed
	case tagList:
		list := make([]any, r.count(1))
		for i := range list {
			list[i] = r.value(depth + 1)
		}
		return list
	case tagMap:
		n := r.count(2)
		fields := make(map[string]any, n)
		for range n {
			key, _ := r.text()
			fields[key] = r.value(depth + 1)
		}
		return fields
	case tagShared:
		if i := r.number(); i < uint64(len(r.pack.shared)) {
			return r.pack.shared[i]
		}
	}
	r.bad, r.rest = true, nil
	return nil
}
