package inventory

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// hub has the parts of one Delivery as an API server stores them.
type hub struct {
	delivery *v1alpha1.Delivery
	parts    map[string]*v1alpha1.Inventory
	// left is the number of writes until the process is killed; negative for no end.
	left int
}

func newHub() *hub {
	d := &v1alpha1.Delivery{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "prod-eu-1", UID: "1"}, Spec: v1alpha1.DeliverySpec{Federation: "prod", Cluster: "eu-1"}}
	return &hub{delivery: d, parts: map[string]*v1alpha1.Inventory{}, left: -1}
}

var errKilled = errors.New("the process was killed")

func (h *hub) write(do func()) error {
	if h.left == 0 {
		return errKilled
	}
	h.left--
	do()
	return nil
}

// record writes other entries, the parts of one group in any order.
func (h *hub) record(r Recorded, entries []string, random *rand.Rand) (next Recorded, writes int, err error) {
	meta := metav1.ObjectMeta{Namespace: "demo", OwnerReferences: []metav1.OwnerReference{{UID: h.delivery.UID}}}
	o := r.Objects(entries, h.delivery, meta)
	for _, step := range o.Steps {
		var all []func()
		for _, p := range step.Puts {
			all = append(all, func() { h.parts[p.Name] = p })
		}
		for _, p := range step.Deletes {
			all = append(all, func() { delete(h.parts, p.Name) })
		}
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		for _, write := range all {
			if err == nil {
				err = h.write(write)
				writes++
			}
		}
	}
	return r.After(o, err), writes, err
}

func (h *hub) read() (Recorded, error) {
	return Read(h.delivery, slices.Collect(maps.Values(h.parts)))
}

func entry(namespace, n int) string {
	return fmt.Sprintf("ns-%03d_app-%05d_apps_Deployment", namespace, n)
}

// many returns n entries, a thousand for each namespace.
func many(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = entry(i/1000, i%1000)
	}
	return all
}

// edited returns other entries: some neighbours are added or removed, or single entries anywhere.
func edited(entries []string, random *rand.Rand) []string {
	all := map[string]bool{}
	for _, e := range entries {
		all[e] = true
	}
	switch n := random.IntN(400); random.IntN(5) {
	case 0: // a namespace of objects
		namespace := random.IntN(20)
		for i := range n {
			all[entry(namespace, i)] = true
		}
	case 1:
		at := random.IntN(len(entries) + 1)
		for _, e := range entries[at:min(at+10*n, len(entries))] {
			delete(all, e)
		}
	case 2:
		for range n / 20 {
			all[entry(random.IntN(20), random.IntN(100000))] = true
		}
	case 3:
		for range min(n/20, len(entries)) {
			delete(all, entries[random.IntN(len(entries))])
		}
	case 4:
		for range 10 * n {
			all[entry(random.IntN(20), random.IntN(100000))] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// TestPartsAreTheWhole: after any sequence of inventories the parts on the hub are the whole, no part is too large, and the
// memory of the process agrees with the hub. A process that is killed between two writes leaves parts that have every entry
// that the inventories before and after it have in common.
func TestPartsAreTheWhole(t *testing.T) {
	for seed := range uint64(12) {
		random := rand.New(rand.NewPCG(seed, 1))
		h := newHub()
		var known Recorded
		var entries []string
		for step := range 30 {
			next := edited(entries, random)
			h.left = -1
			if random.IntN(3) == 0 {
				h.left = random.IntN(5)
			}
			var err error
			known, _, err = h.record(known, next, random)
			if err == nil {
				_, writes, _ := h.record(known, slices.Clone(next), random)
				require.Zero(t, writes, "an unchanged inventory writes nothing")
				require.True(t, known.Has(next))
				h.delivery.Status.InventoryCount = int32(len(next))
			} else {
				require.False(t, known.Has(next))
				h.delivery.Status.InventoryCount = int32(min(len(entries), len(next)))
			}
			read, failed := h.read()
			require.NoError(t, failed, "seed %d, step %d", seed, step)
			if err == nil {
				require.Equal(t, next, slices.Concat([]string{}, read.Entries()), "seed %d, step %d", seed, step)
				require.Equal(t, known.Parts(), read.Parts())
			} else {
				require.Len(t, Union(read.Entries(), common(entries, next)), len(read.Entries()), "seed %d, step %d", seed, step)
				if random.IntN(2) == 0 { // the process starts again
					known = read
				}
				h.left = -1
				known, _, err = h.record(known, next, random)
				require.NoError(t, err)
				read, err = h.read()
				require.NoError(t, err)
				require.Equal(t, next, slices.Concat([]string{}, read.Entries()), "seed %d, step %d", seed, step)
			}
			for _, p := range h.parts {
				require.LessOrEqual(t, len(p.Spec.Entries), maxEntries)
			}
			require.LessOrEqual(t, len(h.parts), 4+4*len(next)/minEntries)
			entries = next
		}
	}
}

// TestAFirstRecordingIsWholeOrNothing: the hub lost its data, and the cluster was asked for its objects. A process that is killed
// while it records them leaves no inventory that seems to be complete, whatever another process left before.
func TestAFirstRecordingIsWholeOrNothing(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 2))
		h := newHub()
		var known Recorded
		for range 4 {
			first := random.IntN(3000)
			discovered := many(9000)[first : first+2000+random.IntN(4000)]
			h.left = random.IntN(20)
			_, _, err := h.record(known, discovered, random)
			read, failed := h.read()
			require.NoError(t, failed)
			if err == nil {
				require.Equal(t, discovered, read.Entries(), "seed %d", seed)
				break
			}
			require.Empty(t, read.Entries(), "seed %d", seed)
			known = read
		}
	}
}

// common returns the entries that two inventories have in common.
func common(a, b []string) []string {
	both := []string{}
	for _, e := range a {
		if _, has := slices.BinarySearch(b, e); has {
			both = append(both, e)
		}
	}
	return both
}

// TestWritesFollowTheChange: one added or removed entry is one write, whatever the size of the inventory.
func TestWritesFollowTheChange(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, size := range []int{1, 100, 6_000, 100_000} {
		h, entries := newHub(), many(size)
		known, writes, err := h.record(Recorded{}, entries, random)
		require.NoError(t, err)
		require.LessOrEqual(t, writes, (size+fillEntries-1)/fillEntries)
		for _, more := range []string{entry(size/2000, 7) + "-more", "a_first__ConfigMap", "z_last__ConfigMap"} {
			known, writes, err = h.record(known, Union(entries, []string{more}), random)
			require.NoError(t, err)
			require.Equal(t, 1, writes, "%s is added to %d", more, size)
			known, writes, err = h.record(known, entries, random)
			require.NoError(t, err)
			require.Equal(t, 1, writes, "%s is removed from %d", more, size)
		}
		_, writes, err = h.record(known, nil, random)
		require.NoError(t, err)
		require.LessOrEqual(t, writes, (size+fillEntries-1)/fillEntries, "the first part stays, the others are deleted")
	}
}

// TestLargeInventoriesFitIntoRequests: etcd accepts requests of 1.5 MB. One list of the same objects has 2.7 MB.
func TestLargeInventoriesFitIntoRequests(t *testing.T) {
	const limit = 1.5 * 1024 * 1024
	for name, entries := range map[string][]string{"60,000 objects": many(60_000), "100,000 objects": many(100_000)} {
		whole, err := json.Marshal(entries)
		require.NoError(t, err)
		require.Greater(t, len(whole), int(limit))
		var largest, sum int
		for _, step := range (Recorded{}).Objects(entries, newHub().delivery, metav1.ObjectMeta{}).Steps {
			for _, p := range step.Puts {
				text, err := json.Marshal(p)
				require.NoError(t, err)
				largest, sum = max(largest, len(text)), sum+len(p.Spec.Entries)
			}
		}
		require.Less(t, largest, 64*1024, name)
		require.GreaterOrEqual(t, sum, len(entries))
	}
	long := slices.Repeat([]string{string(slices.Repeat([]byte("n"), 650))}, maxEntries) // names as long as they may be
	text, err := json.Marshal(Part{Entries: long}.Spec(v1alpha1.DeliverySpec{}))
	require.NoError(t, err)
	require.Less(t, len(text), int(limit)/2)
}

// TestUnreadableParts: an inventory of which a part is missing or changed is an error that has the rule and the fix.
func TestUnreadableParts(t *testing.T) {
	first := func(h *hub) *v1alpha1.Inventory { return h.parts["prod-eu-1-0"] }
	second := func(h *hub) *v1alpha1.Inventory { return h.parts[Name("prod-eu-1", Suffix(first(h).Spec.To))] }
	last := func(h *hub) *v1alpha1.Inventory {
		for _, p := range h.parts {
			if p.Spec.To == "" {
				return p
			}
		}
		return nil
	}
	seal := func(p *v1alpha1.Inventory) { p.Spec.Digest, p.Spec.Count = digest(p.Spec), int32(len(p.Spec.Entries)) }
	for name, c := range map[string]struct {
		spoil func(h *hub)
		want  string
	}{
		"all are missing":       {func(h *hub) { clear(h.parts) }, "all are missing"},
		"the first is missing":  {func(h *hub) { delete(h.parts, first(h).Name) }, `the one before "ns-000_app-00500_apps_Deployment" is missing`},
		"the second is missing": {func(h *hub) { delete(h.parts, second(h).Name) }, `the one from "ns-000_app-00500_apps_Deployment" to "ns-001_app-00000_apps_Deployment" is missing`},
		"the last is missing":   {func(h *hub) { delete(h.parts, last(h).Name) }, `the one from "ns-002_app-00500_apps_Deployment" on is missing`},
		"an entry was removed": {func(h *hub) { s := &first(h).Spec; s.Entries = s.Entries[1:] },
			"an Inventory has the digest of its entries: somebody changed Inventory prod-eu-1-0"},
		"an entry was added":     {func(h *hub) { s := &first(h).Spec; s.Entries = append(slices.Clone(s.Entries), "z") }, "somebody changed Inventory prod-eu-1-0"},
		"the range was changed":  {func(h *hub) { last(h).Spec.From = "ns-002_app-00400" }, "somebody changed Inventory"},
		"the count was changed":  {func(h *hub) { first(h).Spec.Count++ }, "somebody changed Inventory prod-eu-1-0"},
		"the digest was changed": {func(h *hub) { first(h).Spec.Digest = "" }, "somebody changed Inventory prod-eu-1-0"},
		"it is of another cluster": {func(h *hub) { first(h).Spec.Cluster = "eu-2"; seal(first(h)) },
			"Inventory prod-eu-1-0 is a copy of one of federation prod on cluster eu-2"},
		"it was copied": {func(h *hub) { p := first(h).DeepCopy(); p.Name += "-copy"; h.parts[p.Name] = p }, "Inventory prod-eu-1-0-copy is a copy of one"},
		"it was sorted otherwise": {func(h *hub) { slices.Reverse(first(h).Spec.Entries); seal(first(h)) },
			"the entries of an Inventory are sorted and lie between its bounds: those of Inventory prod-eu-1-0 do not"},
		"an older version was restored": {func(h *hub) { s := &first(h).Spec; s.Entries = s.Entries[1:]; seal(first(h)) },
			"there are 2999 entries in the Inventories, and status.inventoryCount is 3000"},
		"the Delivery was replaced": {func(h *hub) { h.delivery.UID = "2" }, "all are missing"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHub()
			_, _, err := h.record(Recorded{}, many(3000), rand.New(rand.NewPCG(1, 1)))
			require.NoError(t, err)
			h.delivery.Status.InventoryCount = 3000
			_, err = h.read()
			require.NoError(t, err)
			for key, p := range h.parts { // the entries are shared
				h.parts[key] = p.DeepCopy()
			}
			c.spoil(h)
			_, err = h.read()
			require.ErrorContains(t, err, "the inventory of Delivery demo/prod-eu-1 cannot be read: ")
			require.ErrorContains(t, err, c.want)
			require.ErrorContains(t, err, fix)
		})
	}
}

// TestPartsOfADeletedDelivery: a cluster that joins again has a new Delivery, and the parts of the old one may still be there.
// They do not count, and do not stay.
func TestPartsOfADeletedDelivery(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	h := newHub()
	_, _, err := h.record(Recorded{}, many(3000), random)
	require.NoError(t, err)
	h.delivery.UID = types.UID("2")
	r, err := h.read()
	require.NoError(t, err)
	require.Empty(t, r.Entries())
	_, _, err = h.record(r, many(10), random)
	require.NoError(t, err)
	require.Len(t, h.parts, 1)
	r, err = h.read()
	require.NoError(t, err)
	require.Equal(t, many(10), r.Entries())
}

// TestADoubtfulPartIsWrittenAgain: somebody deleted a part by hand.
func TestADoubtfulPartIsWrittenAgain(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	h := newHub()
	known, _, err := h.record(Recorded{}, many(3000), random)
	require.NoError(t, err)
	before := maps.Clone(h.parts)
	delete(h.parts, "prod-eu-1-0")
	known, writes, err := h.record(known.Doubt("0"), many(3000), random)
	require.NoError(t, err)
	require.Equal(t, 1, writes)
	require.Equal(t, before, h.parts)
	_, writes, err = h.record(known.DoubtAll(), many(3000), random)
	require.NoError(t, err)
	require.Equal(t, len(before), writes)
}

func TestUnion(t *testing.T) {
	require.Equal(t, []string{"a", "b"}, Sorted([]string{"b", "a", "b"}))
	require.Empty(t, Sorted(nil))
	a, b := []string{"a", "c"}, []string{"a", "b", "c"}
	require.Same(t, &b[0], &Union(a, b)[0])
	require.Same(t, &b[0], &Union(b, a)[0])
	require.Equal(t, []string{"a", "b", "c", "d"}, Union([]string{"b", "d"}, a))
	require.Empty(t, Union(nil, nil))
}
