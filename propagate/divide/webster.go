package divide

import (
	"container/heap"
	"math/bits"
)

// Party takes part in an apportionment.
type Party struct {
	Name  string
	Votes int64 // a party without votes gets no seat
}

// Webster assigns seats one at a time to the party with the largest votes/(2*seats+1). Among equals the one with fewer
// seats comes first, then the smaller name when seed is even and the larger when it is odd (Karmada §4.7, with the seed
// in place of the hash of a UID). The result has the order of the parties and adds up to seats unless no party has
// votes.
func Webster(seats int32, parties []Party, seed uint32) []int32 {
	q := &queue{parties: parties, seats: make([]int32, len(parties)), descending: seed%2 == 1}
	var total float64
	for i, p := range parties {
		if p.Votes > 0 {
			q.order = append(q.order, i)
			total += float64(p.Votes)
		}
	}
	if len(q.order) == 0 {
		return q.seats
	}
	left := seats
	for _, i := range q.order {
		q.seats[i] = sure(seats, parties[i].Votes, total, len(q.order))
		left -= q.seats[i]
	}
	heap.Init(q)
	for range max(left, 0) {
		q.seats[q.order[0]]++
		heap.Fix(q, 0)
	}
	return q.seats
}

// sure returns a number of seats that a party gets in any case, so that a large number of seats is not assigned one by
// one. With the divisor total/(seats-parties/2), rounded shares add up to no more than the seats, hence each of them is
// reached; two seats and a billionth less make up for rounding errors.
func sure(seats int32, votes int64, total float64, parties int) int32 {
	return int32(max(0, (float64(seats)-float64(parties)/2)*(float64(votes)/total)*(1-1e-9)-2))
}

// queue is a heap with the party that gets the next seat in front.
type queue struct {
	parties    []Party
	seats      []int32
	order      []int // heap of indices into parties
	descending bool
}

func (q *queue) Len() int      { return len(q.order) }
func (q *queue) Swap(i, j int) { q.order[i], q.order[j] = q.order[j], q.order[i] }

// Push and Pop complete heap.Interface; the queue neither grows nor shrinks.
func (q *queue) Push(any) {}
func (q *queue) Pop() any { return nil }

// Less compares votes[a]/(2*seats[a]+1) > votes[b]/(2*seats[b]+1) without rounding or overflow.
func (q *queue) Less(i, j int) bool {
	a, b := q.order[i], q.order[j]
	aHigh, aLow := bits.Mul64(uint64(q.parties[a].Votes), uint64(2*int64(q.seats[b])+1))
	bHigh, bLow := bits.Mul64(uint64(q.parties[b].Votes), uint64(2*int64(q.seats[a])+1))
	if aHigh != bHigh || aLow != bLow {
		return aHigh > bHigh || aHigh == bHigh && aLow > bLow
	}
	if q.seats[a] != q.seats[b] {
		return q.seats[a] < q.seats[b]
	}
	return (q.parties[a].Name < q.parties[b].Name) != q.descending
}
