package memory

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestMemoryIsReturnedAtRest(t *testing.T) {
	const mb, tick, long = 1 << 20, samplePeriod, returnPeriod
	type step struct {
		allocates, inUse uint64
		after            time.Duration
		returns          bool
	}
	for name, samples := range map[string][]step{
		"two quiet samples":               {{50 * mb, 60 * mb, tick, false}, {0, 60 * mb, tick, false}, {0, 60 * mb, tick, true}},
		"a busy process":                  {{50 * mb, 60 * mb, tick, false}, {mb, 60 * mb, tick, false}, {mb, 60 * mb, tick, false}, {0, 60 * mb, tick, false}, {mb, 60 * mb, tick, false}},
		"small":                           {{0, 10 * mb, tick, false}, {0, 10 * mb, tick, false}},
		"not again without growth":        {{0, 60 * mb, tick, false}, {0, 60 * mb, tick, true}, {0, 70 * mb, long, false}, {0, 90 * mb, long, false}},
		"again after growth":              {{0, 60 * mb, tick, false}, {0, 60 * mb, tick, true}, {0, 95 * mb, long, true}},
		"not soon":                        {{0, 60 * mb, tick, false}, {0, 60 * mb, tick, true}, {0, 99 * mb, tick, false}, {0, 99 * mb, long, true}},
		"soon after a bulk":               {{0, 60 * mb, tick, false}, {0, 60 * mb, tick, true}, {0, 152 * mb, tick, true}},
		"after a pause of a bulk":         {{0, 230 * mb, tick, false}, {0, 230 * mb, tick, true}, {1000 * mb, 250 * mb, long, false}, {200 * mb, 281 * mb, tick, false}, {0, 281 * mb, tick, false}, {0, 281 * mb, tick, true}},
		"twice after a bulk":              {{100 * mb, 230 * mb, tick, false}, {0, 230 * mb, tick, false}, {0, 230 * mb, tick, true}, {20 * mb, 250 * mb, long, false}, {0, 250 * mb, tick, false}, {0, 250 * mb, tick, true}, {20 * mb, 270 * mb, long, false}, {0, 270 * mb, tick, false}, {0, 270 * mb, tick, false}},
		"a bulk that ends slowly":         {{100 * mb, 230 * mb, tick, false}, {mb, 230 * mb, tick, false}, {mb, 230 * mb, tick, true}, {mb, 240 * mb, long, true}, {mb, 250 * mb, long, false}, {mb, 270 * mb, long, false}, {0, 270 * mb, tick, false}, {0, 270 * mb, tick, true}, {0, 290 * mb, long, false}},
		"a stretched bulk":                {{100 * mb, 230 * mb, tick, false}, {mb, 230 * mb, tick, false}, {mb, 230 * mb, tick, true}, {mb, 240 * mb, long, true}, {mb, 400 * mb, long, false}, {mb, 400 * mb, slowPeriod, false}, {mb, 530 * mb, long, true}, {0, 600 * mb, tick, false}, {0, 600 * mb, tick, false}, {0, 600 * mb, 2 * tick, true}, {0, 600 * mb, slowPeriod, false}},
		"slow growth":                     {{0, 140 * mb, tick, false}, {0, 140 * mb, tick, true}, {0, 200 * mb, long, false}, {0, 200 * mb, slowPeriod, true}, {0, 230 * mb, slowPeriod, false}},
		"soon after a pause of a bulk":    {{0, 230 * mb, tick, false}, {0, 230 * mb, tick, true}, {100 * mb, 290 * mb, tick, false}, {0, 290 * mb, tick, false}, {0, 290 * mb, tick, false}, {0, 290 * mb, bulkPeriod, true}, {0, 290 * mb, long, false}},
		"after a small push":              {{0, 230 * mb, tick, false}, {0, 230 * mb, tick, true}, {20 * mb, 250 * mb, long, false}, {0, 250 * mb, tick, false}, {0, 250 * mb, tick, false}, {0, 250 * mb, long, false}},
		"after many small pushes":         {{0, 230 * mb, tick, false}, {0, 230 * mb, tick, true}, {40 * mb, 260 * mb, tick, false}, {0, 260 * mb, tick, false}, {0, 260 * mb, tick, false}, {40 * mb, 290 * mb, long, false}, {0, 290 * mb, tick, false}, {0, 290 * mb, long, false}},
		"after many pushes":               {{0, 230 * mb, tick, false}, {0, 230 * mb, tick, true}, {2000 * mb, 235 * mb, long, false}, {0, 235 * mb, tick, false}, {0, 235 * mb, tick, true}, {0, 235 * mb, long, false}},
		"a large process rests with more": {{0, 999 * mb, tick, false}, {0, 999 * mb, tick, true}, {10 * mb, 1600 * mb, long, true}, {50 * mb, 2600 * mb, long, false}, {20 * mb, 2600 * mb, tick, false}, {20 * mb, 2600 * mb, tick, true}},
		"probes of a thousand clusters":   {{400 * mb, 930 * mb, tick, false}, {6 * mb, 930 * mb, tick, false}, {6 * mb, 930 * mb, tick, true}},
		"a large process grows by half":   {{0, 999 * mb, tick, false}, {0, 999 * mb, tick, true}, {0, 1400 * mb, long, false}},
	} {
		t.Run(name, func(t *testing.T) {
			var r rest
			now, allocated := time.Now(), uint64(0)
			for i, s := range samples {
				now, allocated = now.Add(s.after), allocated+s.allocates
				require.Equal(t, s.returns, r.returns(allocated, s.inUse, now), "sample %d", i)
				if s.returns {
					r.base = s.inUse
				}
			}
		})
	}
}
