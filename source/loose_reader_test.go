package source

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/stretchr/testify/require"
)

// TestLooseReader reads what git wrote, and leaves everything else to go-git, which has an error for it.
func TestLooseReader(t *testing.T) {
	repository := t.TempDir()
	put := func(hash plumbing.Hash, object []byte, level int, damage func([]byte) []byte) {
		var file bytes.Buffer
		w, err := zlib.NewWriterLevel(&file, level)
		require.NoError(t, err)
		_, err = w.Write(object)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		name := filepath.Join(repository, "objects", hash.String()[:2], hash.String()[2:])
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
		require.NoError(t, os.WriteFile(name, damage(file.Bytes()), 0o600))
	}
	whole := func(b []byte) []byte { return b }
	r := newLooseReader(osfs.New(repository))
	random := rand.New(rand.NewPCG(1, 1))
	for _, size := range []int{0, 1, 40, 32 << 10, 64<<10 + 1, 1 << 20} {
		content := make([]byte, size)
		for i := range content {
			content[i] = byte(random.Uint32())
		}
		hash := plumbing.ComputeHash(plumbing.TreeObject, content)
		object := append(fmt.Appendf(nil, "tree %d\x00", size), content...)
		_, found := r.tree(hash)
		require.False(t, found, "no file")
		for _, level := range []int{zlib.NoCompression, zlib.DefaultCompression} {
			put(hash, object, level, whole)
			got, found := r.tree(hash)
			require.True(t, found, size)
			require.Equal(t, string(content), string(got))
			r.release(got)
		}
		for name, other := range map[string][]byte{
			"more":         append(bytes.Clone(object), 0),
			"another type": append(fmt.Appendf(nil, "blob %d\x00", size), content...),
			"no size":      append([]byte("tree \x00"), content...),
			"no header":    bytes.Repeat([]byte{'t'}, size),
			"too large":    append(fmt.Appendf(nil, "tree %d\x00", maxMeta+1), content...),
			"less":         object[:len(object)-1],
		} {
			put(hash, other, zlib.DefaultCompression, whole)
			_, found := r.tree(hash)
			require.False(t, found, name)
		}
		put(hash, object, zlib.DefaultCompression, func(b []byte) []byte { return b[:len(b)/2] })
		_, found = r.tree(hash)
		require.False(t, found, "half a file")
		put(plumbing.NewHash("0123"), object, zlib.DefaultCompression, whole)
		_, found = r.tree(plumbing.NewHash("0123"))
		require.False(t, found, "another hash")
	}
}
