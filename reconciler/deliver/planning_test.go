package deliver

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestDeliveriesYieldToANewerPlan(t *testing.T) {
	for name, c := range map[string]struct {
		plan     time.Duration // until it is made; 0: none is
		canceled time.Duration // 0: never
		waits    time.Duration
	}{
		"nothing is planned":            {0, 0, 0},
		"until it is in force":          {300 * time.Millisecond, 0, 300 * time.Millisecond},
		"no longer than is bearable":    {time.Minute, 0, planningLimit},
		"until the delivery is stopped": {300 * time.Millisecond, 100 * time.Millisecond, 100 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var p planning
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if c.plan > 0 {
					time.AfterFunc(c.plan, p.begin())
				}
				if c.canceled > 0 {
					time.AfterFunc(c.canceled, cancel)
				}
				begun := time.Now()
				p.yield(ctx)
				require.Equal(t, c.waits, time.Since(begun))
				if c.waits == planningLimit {
					p.yield(ctx)
					require.Equal(t, c.waits, time.Since(begun), "the next object does not wait as long again")
				}
				time.Sleep(2 * time.Minute)
				begun = time.Now()
				p.yield(t.Context())
				require.Zero(t, time.Since(begun), "it is over")
			})
		})
	}
}

// TestPlansWithoutAnEnd: plans that follow one another leave half of the time to deliveries.
func TestPlansWithoutAnEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p planning
		stop := time.Now().Add(time.Minute)
		go func() {
			for time.Now().Before(stop) {
				end := p.begin()
				time.Sleep(300 * time.Millisecond)
				end()
			}
		}()
		delivered := 0
		for ; time.Now().Before(stop); delivered++ {
			p.yield(t.Context())
			time.Sleep(10 * time.Millisecond)
		}
		require.InDelta(t, 3000, delivered, 100)
	})
}
