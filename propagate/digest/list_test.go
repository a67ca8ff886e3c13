package digest_test

import (
	"crypto/sha256"
	"hash"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/propagate/digest"
	"github.com/accord-dev/accord/propagate/splice"
)

// TestEditedIsFilledFromNothing: the digest of an edited list is that of the list made from nothing, and only the entries about the edits are
// hashed for it.
func TestEditedIsFilledFromNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	hashed, edited, all := 0, 0, 0
	fill := func(l *digest.List, entries []int) string {
		missing := l.Missing(len(entries))
		hashed = 0
		l.Fill(len(entries), func(h hash.Hash, at int) digest.Sum {
			if missing[hashed] != at {
				t.Fatalf("entry %d is hashed in place of %d", at, missing[hashed])
			}
			hashed++
			text := strconv.AppendInt(nil, int64(entries[at]), 10)
			h.Write(text)
			return sha256.Sum256(text)
		})
		require.Len(t, missing, hashed)
		return l.Over(nil)
	}
	for range 100 {
		entries := make([]int, random.IntN(3000))
		for i := range entries {
			entries[i] = random.Int()
		}
		var l digest.List
		got := fill(&l, entries)
		for range 4 { // one edit after the other
			now := slices.Clone(entries)
			edits := map[int]splice.Edit{}
			for range random.IntN(4) {
				if len(entries) > 0 {
					at := random.IntN(len(entries))
					edits[at] = splice.Edit{At: at, By: random.IntN(3) - 1}
				}
			}
			if random.IntN(3) == 0 {
				edits[len(entries)] = splice.Edit{At: len(entries), By: 1}
			}
			var sorted []splice.Edit
			for at := len(entries); at >= 0; at-- {
				e, is := edits[at]
				switch {
				case !is:
					continue
				case e.By > 0:
					now = slices.Insert(now, at, random.Int())
				case e.By < 0:
					now = slices.Delete(now, at, at+1)
				default:
					now[at] = random.Int()
				}
				sorted = append(sorted, e)
			}
			slices.Reverse(sorted)
			before := got
			l = l.Edited(sorted)
			got = fill(&l, now)
			edited, all = edited+hashed, all+len(now)
			require.Equal(t, len(sorted) == 0, got == before)
			require.Equal(t, fill(new(digest.List), now), got)
			entries = now
		}
	}
	require.Less(t, edited, all/3, "an edit of a list of 1,500 entries hashes two or three chunks of 64")
}
