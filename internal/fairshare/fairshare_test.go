package fairshare

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// takeAll takes single units for groups until the pool refuses, and returns their number.
func takeAll(p *Pool, groups ...string) int {
	n := 0
	for p.Take(1, groups...) {
		n++
	}
	return n
}

// TestHostileGroups holds the promise of Pool: groups that take what they get leave room for the next one.
func TestHostileGroups(t *testing.T) {
	p := New(64)
	require.Equal(t, 32, takeAll(p, "a"))
	require.Equal(t, 16, takeAll(p, "b"))
	require.Equal(t, 8, takeAll(p, "c"))
	require.True(t, p.Take(1, "d"), "there is room for another one")
	require.False(t, p.Take(1, "a"))
	require.Equal(t, 4, p.Groups())

	p.Return(32, "a")
	require.Equal(t, 3, p.Groups(), "a group without units is forgotten")
	require.True(t, p.Take(1, "a"))
}

func TestTakeIsForAllGroupsOrNone(t *testing.T) {
	p := New(8)
	require.Equal(t, 4, takeAll(p, "host"))
	require.False(t, p.Take(1, "namespace", "host"), "the host has its share")
	require.True(t, p.Take(4, "namespace"), "the refused unit was not taken for the namespace")
	require.False(t, p.Take(1, "another"), "nothing is free")
	require.False(t, New(4).Take(5))
}

func TestWaitEndsWhenUnitsReturn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(2)
		require.True(t, p.Take(1, "a"))
		require.True(t, p.Take(1, "b"))
		got := make(chan error)
		go func() { got <- p.Wait(t.Context(), 1, "c") }()
		synctest.Wait()
		select {
		case err := <-got:
			t.Fatal(fmt.Errorf("there is no unit: %w", err))
		default:
		}
		p.Return(1, "a")
		require.NoError(t, <-got)

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorIs(t, p.Wait(ctx, 1, "d"), context.Canceled)
	})
}
