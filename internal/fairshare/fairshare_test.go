package fairshare

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// takeAll takes single units for a group until the pool refuses, and returns their number.
func takeAll(p *Pool, group string, parts ...string) int {
	n := 0
	for p.Take(1, group, parts...) {
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
	require.Equal(t, 4, p.Holders())

	p.Return(32, "a")
	require.Equal(t, 3, p.Holders(), "a group without units is forgotten")
	require.True(t, p.Take(1, "a"))
}

// TestHostileParts holds the same promise for the parts of a group.
func TestHostileParts(t *testing.T) {
	p := New(16)
	require.Equal(t, 4, takeAll(p, "a", "x"))
	require.False(t, p.Take(1, "a", "y", "x"), "x has its share")
	require.Equal(t, 2, takeAll(p, "a", "y"), "the refused unit was not taken for y")
	require.Equal(t, 1, takeAll(p, "a", "z"))
	require.Equal(t, 1, takeAll(p, "a", "another"))
	require.Equal(t, 2, takeAll(p, "b", "x"), "a part belongs to one group")
	require.False(t, New(4).Take(5, "a"))
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
