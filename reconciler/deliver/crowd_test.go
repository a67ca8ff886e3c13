package deliver

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestShareOfADelivery(t *testing.T) {
	var c crowd
	var leave []func()
	for running, want := range map[int]int{0: 8, 1: 8, 64: 8, 65: 7, 100: 5, 300: 1, 1000: 1} {
		for len(leave) < running {
			leave = append(leave, c.join())
		}
		for len(leave) > running {
			leave[len(leave)-1]()
			leave = leave[:len(leave)-1]
		}
		require.Equal(t, want, c.share(), "%d deliveries", running)
	}
}
