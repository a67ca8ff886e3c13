package divide

import (
	"cmp"
	"container/heap"
	"math"
	"math/bits"
)

// Party takes part in an apportionment.
type Party struct {
	Name  string
	Votes int64 // a party with none (or fewer) gets no seat
}

// Webster gives seats one at a time to the party with the largest votes/(2*seats+1). Of equals the one with fewer seats
// comes first, then the smaller name when seed is even and the larger when it is odd (Karmada §4.7, with the seed in
// place of the hash of a UID). The seats are in the order of the parties, and add up to seats unless nobody has votes.
//
// Whole multiples of the votes are given out at once, which changes nothing (after k rounds of everybody's votes each
// party has exactly k times its votes) and keeps large counts cheap.
func Webster(seats int64, parties []Party, seed uint32) []int64 {
	q := &queue{parties: parties, seats: make([]int64, len(parties)), descending: seed%2 == 1}
	var total int64
	for i, p := range parties {
		if p.Votes > 0 {
			q.order = append(q.order, i)
			total += min(p.Votes, math.MaxInt64-total) // at the limit there are more votes than seats, and no whole round
		}
	}
	if len(q.order) == 0 {
		return q.seats
	}
	if rounds := seats / total; rounds > 0 {
		for _, i := range q.order {
			q.seats[i] = rounds * parties[i].Votes
		}
		seats -= rounds * total
	}
	heap.Init(q)
	for range max(seats, 0) {
		q.seats[q.order[0]]++
		heap.Fix(q, 0)
	}
	return q.seats
}

// queue has the party that gets the next seat in front.
type queue struct {
	parties    []Party
	seats      []int64
	order      []int // heap of indices into parties
	descending bool
}

func (q *queue) Len() int      { return len(q.order) }
func (q *queue) Swap(i, j int) { q.order[i], q.order[j] = q.order[j], q.order[i] }
func (q *queue) Push(any)      {}
func (q *queue) Pop() any      { return nil }

// Less compares votes[a]/(2*seats[a]+1) > votes[b]/(2*seats[b]+1) without rounding or overflow.
func (q *queue) Less(i, j int) bool {
	a, b := q.order[i], q.order[j]
	aHigh, aLow := bits.Mul64(uint64(q.parties[a].Votes), uint64(2*q.seats[b]+1))
	bHigh, bLow := bits.Mul64(uint64(q.parties[b].Votes), uint64(2*q.seats[a]+1))
	byName := cmp.Compare(q.parties[a].Name, q.parties[b].Name)
	if q.descending {
		byName = -byName
	}
	return cmp.Or(cmp.Compare(bHigh, aHigh), cmp.Compare(bLow, aLow), cmp.Compare(q.seats[a], q.seats[b]), byName) < 0
}
