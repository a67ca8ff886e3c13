package changes

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/manifest"
)

// The more clusters a Federation has, the less often a bulk writes the Deliveries that are in progress.
func TestDeliveryUpdatesOfABulk(t *testing.T) {
	begin, many := time.Unix(1000, 0), map[manifest.ID]bool{}
	for n := range BulkSize + 1 {
		many[manifest.ID{Name: string(rune('a' + n))}] = true
	}
	var b Bulk
	update := func(clusters int, progressing bool) Update {
		u := b.DeliveryUpdate(Status{Cluster: "eu-1"}, clusters, progressing)
		require.Equal(t, Status{Cluster: "eu-1", Write: true}, u.Status)
		return u
	}
	require.Equal(t, time.Second, update(1000, true).Interval)
	b.Begin(many, 10, begin)
	for clusters, want := range map[int]time.Duration{2: 5 * time.Second, 300: 30 * time.Second, 1000: time.Minute} {
		u := update(clusters, true)
		require.Equal(t, want, u.Interval)
		require.Equal(t, begin, u.Since, "the first write waits, too")
		u = update(clusters, false)
		require.Equal(t, 5*time.Second, u.Interval)
		require.Zero(t, u.Since, "a cluster that is done")
	}
}

// The results of the first clusters do not compete with the deliveries to the others; those of the last one do not wait.
func TestFirstResultsAreGathered(t *testing.T) {
	begin, id := time.Unix(1000, 0), manifest.ID{Name: "web"}
	var b Bulk
	result := func() Update { return b.ObjectUpdate(types.NamespacedName{}, id, ObjectInterval) }
	at := result()
	b.Begin(map[manifest.ID]bool{id: true}, 10, begin)
	require.Equal(t, Update{Status: at.Status, Interval: StartDelay, Since: begin}, result())
	require.Equal(t, time.Second, b.Gather(Update{Interval: time.Second}).Interval, "it waits longer anyway")
	bulk, waited := b.End()
	require.False(t, bulk)
	require.ElementsMatch(t, []Update{at, {Interval: time.Second}}, waited)
	require.Equal(t, at, result())

	many := map[manifest.ID]bool{}
	for n := range BulkSize + 1 {
		many[manifest.ID{Name: string(rune('a' + n))}] = true
	}
	b.Begin(many, 10, begin)
	b.Begin(map[manifest.ID]bool{id: true}, 10, begin.Add(time.Minute))
	require.Equal(t, Update{Status: at.Status, Interval: ObjectInterval}, result(), "urgent during a bulk")
	bulk, waited = b.End()
	require.True(t, bulk)
	require.Empty(t, waited)
	require.Equal(t, at, result())
}

// The more clusters report the end of a delivery one after another, the less often their progress is written. The last result does not wait.
func TestProgressOfManyClusters(t *testing.T) {
	begin, id := time.Unix(1000, 0), manifest.ID{Name: "web"}
	for clusters, want := range map[int]time.Duration{1: StartDelay, 50: StartDelay, 300: 600 * time.Millisecond, 1000: 2 * time.Second} {
		var b Bulk
		b.Begin(map[manifest.ID]bool{id: true}, clusters, begin)
		for range 2 {
			u := b.ObjectUpdate(types.NamespacedName{}, id, ObjectInterval)
			require.Equal(t, want, u.Interval)
			require.Equal(t, begin, u.Since)
		}
		_, waited := b.End()
		require.Equal(t, []Update{{Status: Status{Object: id}, Interval: ObjectInterval}}, waited)
	}
}

// The statuses of many objects wait for others: those in a bulk, and those that follow from one transition.
func TestOneOfMany(t *testing.T) {
	var c Changes
	var b Bulk
	many := map[manifest.ID]bool{}
	for n := range BulkSize + 1 {
		require.False(t, c.Many())
		id := manifest.ID{Name: string(rune('a' + n))}
		many[id] = true
		c.Updates = append(c.Updates, b.ObjectUpdate(types.NamespacedName{}, id, 0), Update{Status: Status{Cluster: id.Name}})
	}
	require.True(t, c.Many())
	id := manifest.ID{Name: "web"}
	require.False(t, b.ObjectUpdate(types.NamespacedName{}, id, 0).OneOfMany)
	b.Begin(many, 10, time.Unix(1000, 0))
	require.True(t, b.ObjectUpdate(types.NamespacedName{}, id, 0).OneOfMany)
	b.Begin(map[manifest.ID]bool{id: true}, 10, time.Unix(1001, 0))
	require.False(t, b.ObjectUpdate(types.NamespacedName{}, id, 0).OneOfMany, "urgent during a bulk")
}
