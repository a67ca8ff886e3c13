package cluster

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSpool(t *testing.T) {
	var root *node
	for _, path := range []string{"shop/ConfigMap/a.json", "shop/ConfigMap/b.json", "_cluster/Namespace/shop.json"} {
		root = root.with(newFile(path, []byte("{\"of\": \""+path+"\"}\n")))
	}
	s := snapshotOf("production", root)
	s.Time = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var text bytes.Buffer
	require.NoError(t, Spool(&text, "production", s))

	got, err := Unspool(bytes.NewReader(text.Bytes()))
	require.NoError(t, err)
	require.Equal(t, s.Revision, got.Revision)
	require.Equal(t, s.Subject, got.Subject)
	require.Equal(t, s.Time, got.Time)
	content, err := fs.ReadFile(got.FS, "shop/ConfigMap/b.json")
	require.NoError(t, err)
	require.Equal(t, "{\"of\": \"shop/ConfigMap/b.json\"}\n", string(content))

	t.Run("a cut file is an error", func(t *testing.T) {
		_, err := Unspool(bytes.NewReader(text.Bytes()[:text.Len()-20]))
		require.Error(t, err)
	})
	t.Run("another content is an error", func(t *testing.T) {
		plain, err := gzip.NewReader(bytes.NewReader(text.Bytes()))
		require.NoError(t, err)
		all, err := io.ReadAll(plain)
		require.NoError(t, err)
		var forged bytes.Buffer
		w := gzip.NewWriter(&forged)
		_, err = w.Write(bytes.Replace(all, []byte("b.json\\\""), []byte("c.json\\\""), 1))
		require.NoError(t, err)
		require.NoError(t, w.Close())
		_, err = Unspool(&forged)
		require.ErrorContains(t, err, "the objects are those of")
	})
	t.Run("the empty cluster", func(t *testing.T) {
		var text bytes.Buffer
		require.NoError(t, Spool(&text, "production", snapshotOf("production", nil)))
		got, err := Unspool(&text)
		require.NoError(t, err)
		require.Equal(t, snapshotOf("production", nil).Revision, got.Revision)
	})
}
