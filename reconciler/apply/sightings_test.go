package apply

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
)

func TestSightingsKeepWhatIsPut(t *testing.T) {
	for name, seen := range map[string]Seen{
		"nothing":           {},
		"a UUID":            {UID: "0b9f0c3e-5a1d-4a77-9a3e-1f2e3d4c5b6a"},
		"a UUID of zeros":   {UID: "00000000-0000-0000-0000-000000000000"},
		"a UUID in capital": {UID: "0B9F0C3E-5A1D-4A77-9A3E-1F2E3D4C5B6A"},
		"a UUID without -":  {UID: "0b9f0c3e5a1d4a779a3e1f2e3d4c5b6a"},
		"another UID":       {UID: "u1"},
		"labels":            {Labels: map[string]string{"app": "web", "": "no key", "empty": "", "long": string(make([]byte, 300))}},
		"what is left":      {Left: []Left{{Path: "spec.replicas", Manager: "hpa"}, {Path: "spec.clusterIP"}}},
		"everything": {
			GVK: schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}, UID: "0b9f0c3e-5a1d-4a77-9a3e-1f2e3d4c5b6a", Digest: "d",
			Intact: true, ChangedBy: "hpa", ChangedAt: "spec.replicas", Labels: map[string]string{"a": "b"}, Preserve: true, Adopted: true, Deleting: true,
			Fields: 1 << 63, Left: []Left{{Path: "p", Manager: "m"}}, Accepted: Accepted{Digest: "e", Fields: 2, Left: "p"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			id, other := manifest.ID{Kind: "Service", Namespace: "shop", Name: "a"}, manifest.ID{Kind: "Service", Namespace: "shop", Name: "b"}
			var all Sightings
			_, known := all.Get(id)
			require.False(t, known)
			require.Empty(t, all.Live())
			all.Delete(id)
			all.Clear()

			all.Put(id, Seen{Digest: "before"})
			all.Put(id, seen)
			all.Put(other, Seen{Digest: "other"})
			got, known := all.Get(id)
			require.True(t, known)
			require.Equal(t, seen, got)
			require.Equal(t, Live{id: seen, other: {Digest: "other"}}, all.Live())

			all.Delete(other)
			require.Equal(t, []manifest.ID{id}, slices.Collect(maps.Keys(all.Live())))
			all.Clear()
			require.Empty(t, all.Live())
		})
	}
}

// A delivery says what it left to Sightings as it does to Live.
func TestSightingsSettle(t *testing.T) {
	id, gone := manifest.ID{Kind: "Service", Namespace: "shop", Name: "a"}, manifest.ID{Kind: "Service", Namespace: "shop", Name: "gone"}
	var all Sightings
	all.Put(id, Seen{Digest: "d", Fields: 7, ChangedBy: "kubectl", ChangedAt: "spec"})
	live := all.Live()
	for _, accepted := range []Accepted{{Digest: "other", Fields: 7}, {Digest: "d", Fields: 7}} {
		all.Settle(map[manifest.ID]Accepted{id: accepted, gone: accepted})
		live.Settle(map[manifest.ID]Accepted{id: accepted, gone: accepted})
		require.Equal(t, live, all.Live())
	}
	require.Equal(t, Seen{Digest: "d", Fields: 7, Intact: true, Accepted: Accepted{Digest: "d", Fields: 7}}, live[id])
}
