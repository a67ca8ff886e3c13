package propagate

import (
	"crypto/sha256"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate/decision"
	"github.com/accord-dev/accord/propagate/digest"
	"github.com/accord-dev/accord/status/kind"
)

// ObjectPlan is one object on all clusters that it goes to. The caller must not change it.
type ObjectPlan struct {
	// Decision is also set for a Namespace that accord creates for its objects; it has no Origin and no Policy then.
	*decision.Decision
	// Kind is accord's knowledge of the kind.
	Kind kind.Kind
	// Results has each distinct result once. ResultIndex has the index of the result for every one of Chosen.
	Results     []Result
	ResultIndex []int32
	// Preserved means that a cluster keeps the object when it should no longer have it: its policy demands this, or
	// that of an object in the Namespace.
	Preserved bool
	// TakesOver means that the object takes over an existing object of another owner.
	TakesOver bool

	keys []resultKey
}

type resultKey struct {
	key string
	at  int32 // index of the result
}

// Result is an object as it is on some clusters: Rendered, or the error of rendering it.
type Result struct {
	*Rendered
	Err error
}

// Objects returns the IDs of all objects of the plan, implied Namespaces included, sorted.
func (p *Plan) Objects() []manifest.ID {
	ids := make([]manifest.ID, len(p.items.all))
	for i, it := range slices.Concat(p.items.inGit, p.items.implied) { // each of them is sorted
		ids[i] = it.decision.ID
	}
	slices.SortFunc(ids, manifest.ID.Compare)
	return ids
}

// ImpliedNamespaces returns the Namespaces that are not in Git and that accord creates for their objects, sorted.
func (p *Plan) ImpliedNamespaces() []manifest.ID {
	var ids []manifest.ID
	for _, it := range p.items.implied {
		ids = append(ids, it.decision.ID)
	}
	return ids
}

// ObjectCount returns the number of objects that a cluster gets, held and failed ones included; 0 for an unknown
// cluster.
func (p *Plan) ObjectCount(cluster string) int {
	i, known := p.members.Index[cluster]
	if !known {
		return 0
	}
	return len(p.items.byCluster[i].items)
}

// ForObject renders one object for all of its clusters and keeps no result, so walking a large plan object by object
// holds one object in memory at a time. ok is false when there is no such object.
func (p *Plan) ForObject(id manifest.ID) (across *ObjectPlan, ok bool) {
	it, ok := p.items.get(id)
	if !ok {
		return nil, false
	}
	return p.forObject(it, nil, p.peek), true
}

// forObject calls renderOn where made, which may be nil, has no result.
func (p *Plan) forObject(it *item, made *ObjectPlan, renderOn func(assigned, int) (*Rendered, error)) *ObjectPlan {
	d := it.decision
	x := &ObjectPlan{
		Decision: d, Kind: it.kind, ResultIndex: make([]int32, len(d.Chosen)), Preserved: it.preserve || d.Preserve,
		TakesOver: it.overwrite,
	}
	var room [64]byte
	key := room[:0]
	for i := range d.Chosen {
		choice := &d.Chosen[i]
		cluster := p.members.Index[choice.Cluster]
		key = p.key(key[:0], assigned{it, choice}, cluster)
		at, known := x.find(key)
		if !known {
			at = x.add(made.result(key, func() Result {
				rendered, err := renderOn(assigned{it, choice}, cluster)
				return Result{rendered, err}
			}))
			x.keys = append(x.keys, resultKey{string(key), at})
		}
		x.ResultIndex[i] = at
	}
	return x
}

// find returns the index of the result for a key.
func (x *ObjectPlan) find(key []byte) (at int32, known bool) {
	if i := slices.IndexFunc(x.keys, func(k resultKey) bool { return k.key == string(key) }); i >= 0 {
		return x.keys[i].at, true
	}
	return 0, false
}

// result returns the result of x for a key, or calls make.
func (x *ObjectPlan) result(key []byte, make func() Result) Result {
	if x != nil {
		if i, known := x.find(key); known {
			return x.Results[i]
		}
	}
	return make()
}

// add returns the index of a result and appends the result only if there is no equal one.
func (x *ObjectPlan) add(r Result) int32 {
	if r.Err == nil {
		for i := range x.Results {
			was := &x.Results[i]
			if was.Err == nil && was.sum == r.sum && slices.Equal(was.Edits, r.Edits) {
				return int32(i)
			}
		}
	}
	x.Results = append(x.Results, r)
	return int32(len(x.Results) - 1)
}

// Sum covers the content and the clusters of the object, and not its place in Git.
func (x *ObjectPlan) Sum() digest.Sum {
	claimed := ""
	if x.Policy != nil {
		claimed = x.Policy.Title()
	}
	const lineOfCluster = 128 // bytes, about
	b := digest.Line(make([]byte, 0, (len(x.Chosen)+2)*lineOfCluster))
	b = b.Text("object").ID(x.ID).Text(x.GVK.Version).Text(claimed).Bool(x.TakesOver).End()
	if len(x.Evictions) > 0 {
		b = b.Text("evictions").Text(x.Evictions.Text()).End()
	}
	for i := range x.Chosen {
		c := &x.Chosen[i]
		b = b.Text("chosen").Text(c.Cluster).Number(c.Replicas).Number(c.Completions).Bool(c.Held != "").Bool(c.Implied)
		if r := x.Results[x.ResultIndex[i]]; r.Err != nil {
			b = b.Text("failed").End()
		} else {
			b = b.Hex(r.sum[:]).End()
		}
	}
	return sha256.Sum256(b)
}
