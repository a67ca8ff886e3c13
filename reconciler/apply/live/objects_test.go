package live

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/apply/ownership"
)

func TestLiveKeepsWhatIsPut(t *testing.T) {
	for name, seen := range map[string]Object{
		"nothing":           {},
		"a UUID":            {UID: "0b9f0c3e-5a1d-4a77-9a3e-1f2e3d4c5b6a"},
		"a UUID of zeros":   {UID: "00000000-0000-0000-0000-000000000000"},
		"a UUID in capital": {UID: "0B9F0C3E-5A1D-4A77-9A3E-1F2E3D4C5B6A"},
		"a UUID without -":  {UID: "0b9f0c3e5a1d4a779a3e1f2e3d4c5b6a"},
		"another UID":       {UID: "u1"},
		"labels":            {Labels: map[string]string{"app": "web", "": "no key", "empty": "", "long": string(make([]byte, 300))}},
		"what is left":      {Yielded: []ownership.Yielded{{Path: "spec.replicas", Manager: "hpa"}, {Path: "spec.clusterIP"}}},
		"everything": {
			GVK: schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}, UID: "0b9f0c3e-5a1d-4a77-9a3e-1f2e3d4c5b6a", Version: 1 << 63, Digest: "d",
			Intact: true, ChangedBy: "hpa", ChangedFields: "spec.replicas", Labels: map[string]string{"a": "b"}, Preserve: true, Adopted: true, Deleting: true,
			Fields: ownership.Hash{1}, Yielded: []ownership.Yielded{{Path: "p", Manager: "m"}}, Accepted: Accepted{Digest: "e", Fields: ownership.Hash{2}, Yielded: "p"},
			Comparison: Comparison{AppliedAt: 7, Written: 8, Overwritten: true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			id, other := manifest.ID{Kind: "Service", Namespace: "shop", Name: "a"}, manifest.ID{Kind: "Service", Namespace: "shop", Name: "b"}
			var all Objects
			_, known := all.Get(id)
			require.False(t, known)
			require.Zero(t, all.Len())
			all.Delete(id)
			all.Clear()

			all.Put(id, Object{Digest: "before"})
			all.Put(id, seen)
			all.Put(other, Object{Digest: "other"})
			got, known := all.Get(id)
			require.True(t, known)
			require.Equal(t, seen, got)
			require.Equal(t, map[manifest.ID]Object{id: seen, other: {Digest: "other"}}, maps.Collect(all.All()))

			all.Delete(other)
			require.Equal(t, []manifest.ID{id}, slices.Collect(all.IDs()))
			all.Clear()
			require.Zero(t, all.Len())
		})
	}
}

// What a delivery was answered is what is known, until the watch has told of it or of what came after.
func TestLiveSettles(t *testing.T) {
	id, gone := manifest.ID{Kind: "Service", Namespace: "shop", Name: "a"}, manifest.ID{Kind: "Service", Namespace: "shop", Name: "gone"}
	ours := Accepted{Digest: "d", Fields: ownership.Hash{7}, Yielded: "spec.a,spec.b"}
	changed := Object{Digest: "d", Fields: ownership.Hash{8}, Version: 9, ChangedBy: "kubectl", ChangedFields: "spec", Yielded: []ownership.Yielded{{Path: "spec.a", Manager: "hpa"}, {Path: "spec.c"}}}
	told := Object{Digest: "d", Fields: ownership.Hash{7}, Version: 10, Yielded: []ownership.Yielded{{Path: "spec.a", Manager: "hpa"}, {Path: "spec.b"}}}
	for name, c := range map[string]struct {
		seen   Object
		answer uint64
		want   func(*Object)
	}{
		"the watch is behind": {changed, 10, func(s *Object) {
			*s = Object{Digest: "d", Fields: ownership.Hash{7}, Version: 10, Intact: true, Yielded: []ownership.Yielded{{Path: "spec.a", Manager: "hpa"}, {Path: "spec.b"}}}
		}},
		"the watch has told of it":       {told, 10, func(s *Object) { s.Intact = true }},
		"somebody changed it after that": {changed, 8, func(*Object) {}},
		"versions are no numbers":        {changed, 0, func(*Object) {}},
	} {
		t.Run(name, func(t *testing.T) {
			var live Objects
			live.Put(id, c.seen)
			answer := Answer{ours, c.answer}
			live.Settle(map[manifest.ID]Answer{id: answer, gone: answer})
			want := c.seen
			c.want(&want)
			want.Accepted, want.Written = ours, c.answer
			require.Equal(t, map[manifest.ID]Object{id: want}, maps.Collect(live.All()), "what was never seen is not made up")
		})
	}
}

// Copies of random objects, changed in random order, are equal to plain maps.
func TestCopiesOfObjects(t *testing.T) {
	type pair struct {
		objects *Objects
		plain   map[manifest.ID]Object
	}
	random := rand.New(rand.NewPCG(1, 2))
	all := []pair{{&Objects{}, map[manifest.ID]Object{}}}
	inventory, lacking, having := NewInventory(nil, nil), 0, 0
	for step := range 20_000 {
		at := &all[random.IntN(len(all))]
		id := manifest.ID{Kind: "Service", Name: strconv.Itoa(random.IntN(300))}
		switch n := random.IntN(1000); {
		case n < 500:
			seen := Object{Version: uint64(step) + 1}
			at.objects.Put(id, seen)
			at.plain[id] = seen
		case n < 900:
			at.objects.Delete(id)
			delete(at.plain, id)
		case n < 910:
			for id := range at.objects.All() {
				if random.IntN(3) == 0 {
					at.objects.Delete(id)
					delete(at.plain, id)
				}
			}
		case n < 912:
			at.objects.Clear()
			clear(at.plain)
		case n < 950:
			all = append(all, pair{at.objects.Clone(), maps.Clone(at.plain)})
			if len(all) > 6 {
				all = slices.Delete(all, 1, 2)
			}
		}
		if step%50 != 0 {
			continue
		}
		if random.IntN(4) == 0 { // else the one before is asked for again
			owned := map[manifest.ID]bool{}
			for id := range all[random.IntN(len(all))].plain {
				owned[id] = random.IntN(3) == 0 || owned[id]
			}
			maps.DeleteFunc(owned, func(_ manifest.ID, is bool) bool { return !is })
			inventory = NewInventory(owned, nil)
		}
		for _, p := range all {
			require.Equal(t, len(p.plain), p.objects.Len())
			require.Equal(t, p.plain, maps.Collect(p.objects.All()))
			_, want := p.plain[id]
			_, known := p.objects.Get(id)
			require.Equal(t, want, known)
			plan := propagate.ClusterPlan{Objects: []propagate.Placed{{Rendered: &propagate.Rendered{ID: id}}}}
			expected := maps.Clone(p.plain)
			delete(expected, id)
			require.Equal(t, expected, maps.Collect(p.objects.Except(plan)))

			lacks := false
			for owned := range inventory.All() {
				_, known := p.plain[owned]
				lacks = lacks || !known && owned != id
			}
			require.Equal(t, !lacks, p.objects.HasAll(inventory, func(missing manifest.ID) bool { return missing == id }))
			if lacks {
				lacking++
			} else {
				having++
			}
		}
	}
	require.Positive(t, lacking)
	require.Positive(t, having)
}

// BenchmarkPush copies 6,000 objects for the delivery of one that changed.
func BenchmarkPush(b *testing.B) {
	var all Objects
	id := func(n int) manifest.ID { return manifest.ID{Kind: "Service", Name: strconv.Itoa(n)} }
	for n := range 6000 {
		all.Put(id(n), Object{})
	}
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		all.Clone()
		all.Put(id(n%6000), Object{Version: uint64(n)})
	}
}
