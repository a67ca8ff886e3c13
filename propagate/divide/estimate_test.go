package divide_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/propagate/divide"
)

func list(pairs ...string) corev1.ResourceList {
	l := corev1.ResourceList{}
	for i := 0; i < len(pairs); i += 2 {
		l[corev1.ResourceName(pairs[i])] = resource.MustParse(pairs[i+1])
	}
	return l
}

// TestRoom has what the rows of Karmada §4.4 in testdata do not have.
func TestRoom(t *testing.T) {
	some := list("cpu", "16", "memory", "64Gi", "pods", "220")
	huge := list("cpu", "9e18", "memory", "9e18", "pods", "9e18")
	for _, c := range []struct {
		name      string
		resources fleet.Resources
		request   corev1.ResourceList
		total     int32
		want      int32
	}{
		{"nothing is wanted", fleet.Resources{Allocatable: some}, list("cpu", "1"), 0, 0},
		{"more is allocated than there is", fleet.Resources{Allocatable: some, Allocated: list("cpu", "17")}, list("cpu", "1"), 5, 0},
		{"what waits counts", fleet.Resources{Allocatable: some, Allocated: list("cpu", "4"), Allocating: list("cpu", "8")}, list("cpu", "1"), 5, 4},
		{"the last pods wait", fleet.Resources{Allocatable: some, Allocating: list("pods", "220")}, list("cpu", "1"), 5, 0},
		{"pods are not reported", fleet.Resources{Allocatable: list("cpu", "16")}, list("cpu", "1"), 5, 0},
		{"a request of zero", fleet.Resources{Allocatable: some}, list("cpu", "0", "example.com/no", "0"), 5, 220},
		{"a request below zero", fleet.Resources{Allocatable: some}, list("cpu", "-1"), 5, 220},
		{"less than a thousandth of a cpu", fleet.Resources{Allocatable: list("cpu", "4m", "pods", "220")}, list("cpu", "100u"), 5, 4},
		{"parts of a byte", fleet.Resources{Allocatable: list("memory", "4", "pods", "220")}, list("memory", "1500m"), 5, 2},
		{"more than is counted", fleet.Resources{Allocatable: huge}, list("cpu", "1m", "memory", "1"), 5, 5},
		{"many of much", fleet.Resources{Allocatable: huge}, list("memory", "1e18"), 5, 9},
		{"all but one int32", fleet.Resources{Allocatable: list("pods", "2147483646")}, nil, 5, math.MaxInt32 - 1},
		{"unbounded", fleet.Resources{Allocatable: list("pods", "2147483647")}, nil, 5, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, divide.Room(fleet.Cluster{Resources: &c.resources}, c.request, c.total))
		})
	}
}

func TestModelsDoNotAllowMorePodsThanTheCluster(t *testing.T) {
	c := fleet.Cluster{
		Resources: &fleet.Resources{Allocatable: list("pods", "220"), Nodes: map[uint32]int64{1: 1, 2: 100}},
		Models:    []fleet.Model{{Grade: 1, Min: list("cpu", "1")}, {Grade: 2, Min: list("cpu", "2")}},
	}
	require.Equal(t, int32(201), divide.Room(c, list("cpu", "1"), 5))
	require.Equal(t, int32(220), divide.Room(c, list("cpu", "500m"), 5), "of 402")
	delete(c.Resources.Nodes, 2)
	require.Equal(t, int32(110), divide.Room(c, list("cpu", "1m"), 5), "a node takes no more pods")
	require.Equal(t, int32(220), divide.Room(c, nil, 5), "nothing is requested of nodes")
}

func TestRoomLeavesItsInputAlone(t *testing.T) {
	large := "123456789012345678901234567890m" // more than an int64, kept behind a pointer
	r := fleet.Resources{Allocatable: list("memory", large, "pods", large), Allocated: list("memory", "5", "pods", "1")}
	for range 2 {
		require.Equal(t, int32(7), divide.Room(fleet.Cluster{Resources: &r}, list("memory", "1"), 7))
	}
	want := resource.MustParse(large)
	got := r.Allocatable["memory"]
	require.Zero(t, want.Cmp(got))
}

// simulate is the rule as it is written (Karmada §4.4): nodes in ascending grade, the first that fits takes the replica.
func simulate(c fleet.Cluster, request corev1.ResourceList) int32 {
	var nodes []map[corev1.ResourceName]int64
	for _, grade := range slices.Sorted(maps.Keys(c.Resources.Nodes)) {
		for range c.Resources.Nodes[grade] {
			node := map[corev1.ResourceName]int64{corev1.ResourcePods: 110}
			for _, m := range c.Models {
				for name, has := range m.Min {
					if m.Grade == grade {
						node[name] = has.MilliValue()
					}
				}
			}
			nodes = append(nodes, node)
		}
	}
	var room int32
	for takes(nodes, request) {
		room++
	}
	return room
}

func takes(nodes []map[corev1.ResourceName]int64, request corev1.ResourceList) bool {
	for _, node := range nodes {
		fits := node[corev1.ResourcePods] > 0
		for name, wanted := range request {
			fits = fits && node[name] >= wanted.MilliValue()
		}
		if fits {
			node[corev1.ResourcePods]--
			for name, wanted := range request {
				node[name] -= wanted.MilliValue()
			}
			return true
		}
	}
	return false
}

func TestRoomOfModelsIsFirstFitOneByOne(t *testing.T) {
	for seed := range uint64(1500) {
		random := rand.New(rand.NewPCG(seed, 9))
		c := fleet.Cluster{Resources: &fleet.Resources{Allocatable: list("pods", "100000"), Nodes: map[uint32]int64{}}}
		for grade := range uint32(1 + random.IntN(5)) {
			if random.IntN(8) > 0 {
				c.Models = append(c.Models, fleet.Model{Grade: grade, Min: list(
					"cpu", fmt.Sprint(int(grade)*random.IntN(4)), "memory", fmt.Sprintf("%dGi", int(grade)*random.IntN(9)))})
			}
			c.Resources.Nodes[grade] = random.Int64N(4)
		}
		request := list("cpu", fmt.Sprintf("%dm", 100*random.IntN(12)))
		if random.IntN(2) == 0 {
			request["memory"] = resource.MustParse(fmt.Sprintf("%dMi", 1+random.IntN(2000)))
		}
		if random.IntN(9) == 0 {
			request["example.com/no"] = resource.MustParse(fmt.Sprint(random.IntN(2)))
		}
		c.Models = append(c.Models, fleet.Model{Grade: 99})
		require.Equal(t, simulate(c, request), divide.Room(c, request, 5), "seed %d: %v of %+v", seed, request, c)
	}
}

func TestRoomOfManyNodes(t *testing.T) {
	c := fleet.Cluster{
		Resources: &fleet.Resources{Allocatable: list("pods", "9e18"), Nodes: map[uint32]int64{1: 10_000, 2: math.MaxInt64, 3: -1}},
		Models:    []fleet.Model{{Grade: 1, Min: list("cpu", "4")}, {Grade: 3, Min: list("cpu", "64")}},
	}
	require.Equal(t, int32(80_000), divide.Room(c, list("cpu", "500m"), 5), "grade 2 has no model, and a count below zero is none")
	c.Models = append(c.Models, fleet.Model{Grade: 2, Min: list("cpu", "1")})
	require.Equal(t, int32(5), divide.Room(c, list("cpu", "500m"), 5), "unbounded")
}

// FuzzRoom: whatever a cluster says of itself, its room is not negative, bounded by its pods, and more replicas of
// half the size fit.
func FuzzRoom(f *testing.F) {
	f.Add("16", "64Gi", "220", "4", "500m", "4Gi", int64(3), int64(2), int32(5))
	f.Add("9e18", "9e18", "9e18", "-9e18", "1n", "1n", int64(math.MaxInt64), int64(math.MinInt64), int32(math.MaxInt32))
	f.Add("-1", "1e-9", "0.5", "123456789012345678901234567890", "1e30", "0", int64(0), int64(1), int32(-1))
	f.Fuzz(func(t *testing.T, cpu, memory, pods, used, requestCPU, requestMemory string, nodes1, nodes2 int64, total int32) {
		parsed := map[string]resource.Quantity{}
		for _, text := range []string{cpu, memory, pods, used, requestCPU, requestMemory} {
			q, err := resource.ParseQuantity(text)
			if err != nil {
				return
			}
			parsed[text] = q
		}
		c := fleet.Cluster{Resources: &fleet.Resources{
			Allocatable: corev1.ResourceList{"cpu": parsed[cpu], "memory": parsed[memory], "pods": parsed[pods]},
			Allocated:   corev1.ResourceList{"cpu": parsed[used]},
			Nodes:       map[uint32]int64{1: nodes1, 2: nodes2},
		}}
		request := corev1.ResourceList{"cpu": parsed[requestCPU], "memory": parsed[requestMemory]}
		inSum := divide.Room(c, request, total)
		c.Models = []fleet.Model{{Grade: 1, Min: corev1.ResourceList{"cpu": parsed[cpu]}}, {Grade: 2, Min: c.Resources.Allocatable}}
		onNodes := divide.Room(c, request, total)
		allowed := divide.Room(c, nil, total)
		for _, room := range []int32{inSum, onNodes} {
			require.GreaterOrEqual(t, room, int32(0))
			require.True(t, room <= allowed || allowed == total, "%d of %d pods", room, allowed)
		}
	})
}

func BenchmarkRoomOf10000Nodes(b *testing.B) {
	c := fleet.Cluster{Resources: &fleet.Resources{Allocatable: list("pods", "1100000"), Allocated: list("pods", "5000"), Nodes: map[uint32]int64{}}}
	for grade := range uint32(9) {
		c.Models = append(c.Models, fleet.Model{Grade: grade, Min: list("cpu", fmt.Sprint(1<<grade), "memory", fmt.Sprintf("%dGi", 4<<grade))})
		c.Resources.Nodes[grade] = 1111
	}
	request := list("cpu", "500m", "memory", "1Gi")
	for b.Loop() {
		divide.Room(c, request, 100)
	}
}

func BenchmarkRoomInSum(b *testing.B) {
	c := fleet.Cluster{Resources: &fleet.Resources{
		Allocatable: list("cpu", "40000", "memory", "160Ti", "pods", "1100000"), Allocated: list("cpu", "1500m", "memory", "1Gi", "pods", "5000"),
	}}
	request := list("cpu", "500m", "memory", "1Gi")
	for b.Loop() {
		divide.Room(c, request, 100)
	}
}
