package rendercache_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/propagate/digest"
	"github.com/accord-dev/accord/propagate/rendercache"
	"github.com/accord-dev/accord/render/override"
)

func filled() *rendercache.Memo {
	m := rendercache.New()
	for i := range byte(40) {
		var edits []override.Edit
		for j := range i % 4 {
			edits = append(edits, override.Edit{Policy: "mirror", Path: string('a' + j)})
		}
		m.Put(digest.Sum{i}, rendercache.Entry{Sum: digest.Sum{i, 1}, Edits: edits})
	}
	return m
}

func TestMemoIsDecodedAgain(t *testing.T) {
	was := filled()
	require.Equal(t, 40, was.Added())
	data, err := was.Encode()
	require.NoError(t, err)
	m, err := rendercache.Decode(data)
	require.NoError(t, err)
	require.Zero(t, m.Added())
	for i := range byte(20) {
		want, _ := was.Get(digest.Sum{i})
		got, known := m.Get(digest.Sum{i})
		require.True(t, known)
		require.Equal(t, want, got)
	}
	_, known := m.Get(digest.Sum{99})
	require.False(t, known)

	data, err = m.Encode()
	require.NoError(t, err)
	m, err = rendercache.Decode(data)
	require.NoError(t, err)
	_, known = m.Get(digest.Sum{30})
	require.False(t, known, "entries that were not used are dropped")
}

func TestDamagedMemo(t *testing.T) {
	data, err := filled().Encode()
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(1, 2))
	failed := 0
	for range 500 {
		damaged := slices.Clone(data)
		damaged[random.IntN(len(damaged))] = byte(random.IntN(256))
		if random.IntN(2) == 0 {
			damaged = damaged[:random.IntN(len(damaged))]
		}
		if _, err := rendercache.Decode(damaged); err != nil {
			failed++
		}
	}
	require.Greater(t, failed, 200)
}
