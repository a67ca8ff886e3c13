package propagate

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/status/kind"
)

// ObjectPlan is one object on all clusters that it goes to. Nobody may change it.
type ObjectPlan struct {
	// Decision is there for a Namespace that is made for its objects, too; it has no Origin and no Policy then.
	*Decision
	// Kind is what is known about its kind.
	Kind kind.Kind
	// Results are what it becomes, each once. Of has for every one of Chosen the index of its result.
	Results     []Result
	ResultIndex []int32
	// Preserved says that it stays where it is no longer wanted: its policy says so, or that of something in it.
	Preserved bool
	// TakesOver says that it takes over what exists on a cluster and is not ours.
	TakesOver bool

	keys map[string]int32 // index of the result
}

// Result is an object as it is on some clusters: Rendered, or why it could not be.
type Result struct {
	*Rendered
	Err error
}

// Sum identifies one object on all of its clusters, what is held and what failed included.
type Sum [sha256.Size]byte

// Objects are all objects of the plan, Namespaces that are made for what is in them included, sorted.
func (p *Plan) Objects() []manifest.ID {
	ids := make([]manifest.ID, len(p.items))
	for i, it := range p.items {
		ids[i] = it.decision.ID
	}
	slices.SortFunc(ids, manifest.ID.Compare)
	return ids
}

// ObjectCount is how many objects a cluster gets, those that are held or cannot be rendered included; 0 for one that is not in
// the fleet.
func (p *Plan) ObjectCount(cluster string) int {
	i, known := p.index[cluster]
	if !known {
		return 0
	}
	return len(p.byCluster[i].items)
}

// ForObject renders one object for all of its clusters and keeps nothing of it: who goes through a large plan object by
// object holds one at a time. ok is false when there is no such object.
func (p *Plan) ForObject(id manifest.ID) (across *ObjectPlan, ok bool) {
	it, ok := p.byID[id]
	if !ok {
		return nil, false
	}
	return p.forObject(it, nil, p.finish), true
}

// forObject renders it with render where made has no result. made may be nil.
func (p *Plan) forObject(it *item, made *ObjectPlan, render func(assigned, int) (*Rendered, error)) *ObjectPlan {
	d := it.decision
	x := &ObjectPlan{
		Decision: d, Kind: it.kind, ResultIndex: make([]int32, len(d.Chosen)), Preserved: it.preserve || d.Preserve,
		TakesOver: it.overwrite, keys: map[string]int32{},
	}
	same := map[[sha256.Size]byte][]int32{} // results with the same content, which differ in how they were made
	var key []byte
	for i := range d.Chosen {
		choice := &d.Chosen[i]
		cluster := p.index[choice.Cluster]
		key = p.overrides.key(choice.key(key[:0]), it.candidates, cluster)
		at, known := x.keys[string(key)]
		if !known {
			at = x.add(made.result(key, func() Result {
				rendered, err := render(assigned{it, choice}, cluster)
				return Result{rendered, err}
			}), same)
			x.keys[string(key)] = at
		}
		x.ResultIndex[i] = at
	}
	return x
}

// result is what x has for a key, or what make makes.
func (x *ObjectPlan) result(key []byte, make func() Result) Result {
	if x != nil {
		if i, known := x.keys[string(key)]; known {
			return x.Results[i]
		}
	}
	return make()
}

// add is the index of a result, which is new only if there is none like it.
func (x *ObjectPlan) add(r Result, same map[[sha256.Size]byte][]int32) int32 {
	at := int32(len(x.Results))
	if r.Err == nil {
		for _, i := range same[r.sum] {
			if slices.Equal(x.Results[i].Edits, r.Edits) {
				return i
			}
		}
		same[r.sum] = append(same[r.sum], at)
	}
	x.Results = append(x.Results, r)
	return at
}

// Sum is of what it is and where it goes, not of where that stands in Git.
func (x *ObjectPlan) Sum() Sum {
	var b bytes.Buffer
	claimed := ""
	if x.Policy != nil {
		claimed = x.Policy.Title()
	}
	writeLine(&b, "object", x.ID, x.GVK.Version, claimed, x.TakesOver)
	sums := make([]string, len(x.Results))
	for i, r := range x.Results {
		sums[i] = "failed"
		if r.Err == nil {
			sums[i] = hex.EncodeToString(r.sum[:])
		}
	}
	for i, c := range x.Chosen {
		writeLine(&b, "chosen", c.Cluster, c.Replicas, c.Completions, c.Held != "", c.Implied, sums[x.ResultIndex[i]])
	}
	return sha256.Sum256(b.Bytes())
}
