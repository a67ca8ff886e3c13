package bundles_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/delivery"
	"github.com/accord-dev/accord/apiserver/bundles"
)

// bundle returns a bundle with an object for each number; equal numbers are equal objects.
func bundle(numbers ...int) bundles.Bundle {
	b := bundles.Bundle{Objects: map[string][]byte{}, Federations: 1}
	for _, n := range numbers {
		body := fmt.Appendf(nil, `{"number":%d,"padding":"%0200d"}`, n, n)
		b.Objects[delivery.Digest(body)] = body
	}
	b.Index, _ = json.Marshal(numbers)
	return b
}

func digests(b bundles.Bundle) []string {
	var all []string
	for digest := range b.Objects {
		all = append(all, digest)
	}
	return all
}

// unzipped checks that a compressed form is that of text, and returns text.
func unzipped(t require.TestingT, text, compressed []byte) []byte {
	r, err := gzip.NewReader(bytes.NewReader(compressed))
	require.NoError(t, err)
	got, err := io.ReadAll(r)
	require.NoError(t, err)
	require.Equal(t, string(text), string(got))
	return text
}

func TestClustersShareOneCompressedCopy(t *testing.T) {
	s := bundles.New(bundles.CompressedLimit)
	require.NoError(t, s.Publish("eu", bundle(1, 2)))
	require.NoError(t, s.Publish("us", bundle(2, 3)))
	require.Equal(t, 3, s.Counts().Objects)

	shared := digests(bundle(2))
	eu, absent, there := s.Objects("eu", shared)
	require.True(t, there)
	require.Empty(t, absent)
	us, _, _ := s.Objects("us", shared)
	require.Same(t, &eu[0].Compressed()[0], &us[0].Compressed()[0])
	require.EqualValues(t, 1, s.Counts().Compressions)

	var content delivery.Content
	require.NoError(t, json.Unmarshal(unzipped(t, eu[0].Text(), eu[0].Compressed()), &content))
	require.Equal(t, shared[0], content.Digest)
	require.Equal(t, content.Digest, delivery.Digest(content.Body), "the agent computes the digest of the bytes of the body")
}

func TestABundleHasItsOwnObjectsOnly(t *testing.T) {
	s := bundles.New(bundles.CompressedLimit)
	require.NoError(t, s.Publish("eu", bundle(1)))
	require.NoError(t, s.Publish("us", bundle(2)))
	foreign := digests(bundle(2))
	found, absent, there := s.Objects("eu", foreign)
	require.True(t, there)
	require.Empty(t, found)
	require.Equal(t, foreign, absent)
	_, _, there = s.Objects("asia", foreign)
	require.False(t, there)
	_, there = s.Index("asia")
	require.False(t, there)
}

// A reader of the index before gets the objects that are new, and each other reader none.
func TestNewObjectsFollowTheIndexBefore(t *testing.T) {
	s := bundles.New(bundles.CompressedLimit)
	publish := func(cluster string, b bundles.Bundle) string {
		require.NoError(t, s.Publish(cluster, b))
		index, _ := s.Index(cluster)
		return index.Digest
	}
	publish("us", bundle(3))
	first := publish("eu", bundle(1, 2))
	require.Empty(t, s.Added("eu", "", first), "of a reader without an index")
	second := publish("eu", bundle(2, 3, 4))
	var got []string
	for _, o := range s.Added("eu", first, second) {
		got = append(got, o.Digest)
	}
	require.ElementsMatch(t, digests(bundle(3, 4)), got)
	third := publish("eu", bundle(2, 3))
	require.Empty(t, s.Added("eu", second, third))
	require.Empty(t, s.Added("eu", first, third), "an earlier index")
	require.Empty(t, s.Added("eu", first, second), "an index that was replaced meanwhile")
	require.Empty(t, s.Added("asia", first, second))
	fourth := publish("eu", bundle(2, 3, 5))
	require.Len(t, s.Added("eu", third, fourth), 1)
}

func TestAWrongObjectChangesNothing(t *testing.T) {
	s := bundles.New(bundles.CompressedLimit)
	require.NoError(t, s.Publish("eu", bundle(1)))
	wrong := bundle(1, 2)
	wrong.Objects[digests(bundle(3))[0]] = []byte(`{}`)
	require.ErrorContains(t, s.Publish("eu", wrong), "has the digest")
	text := []byte("no JSON")
	require.ErrorContains(t, s.Publish("eu", bundles.Bundle{Index: []byte(`{}`), Objects: map[string][]byte{delivery.Digest(text): text}}), "is not JSON")
	require.ErrorContains(t, s.Publish("eu", bundles.Bundle{Index: text}), "the index is not JSON")
	figures, _ := s.Select("eu")
	require.Equal(t, 1, figures[0].Objects)
	require.Equal(t, 1, s.Counts().Objects)
}

// A bundle names objects that the Store has without their text. It never gets others in this way.
func TestAnObjectOfAnotherBundleNeedsNoText(t *testing.T) {
	s := bundles.New(bundles.CompressedLimit)
	shared := digests(bundle(1))[0]
	require.False(t, s.Has(shared))
	named := bundles.Bundle{Index: []byte("[]"), Objects: map[string][]byte{shared: nil}}
	require.ErrorContains(t, s.Publish("us", named), "has the digest")
	require.NoError(t, s.Publish("eu", bundle(1)))
	require.True(t, s.Has(shared))
	require.NoError(t, s.Publish("us", named))
	s.Remove("eu")
	found, _, _ := s.Objects("us", []string{shared})
	require.Contains(t, string(found[0].Text()), string(bundle(1).Objects[shared]))
	s.Remove("us")
	require.False(t, s.Has(shared))
}

func TestTheSameBundleIsNoChange(t *testing.T) {
	s := bundles.New(bundles.CompressedLimit)
	require.NoError(t, s.Publish("eu", bundle(1)))
	before, revision := s.Select("eu")
	sub, ok := s.Subscribe("eu", 1)
	require.True(t, ok)
	defer sub.Close()
	require.NoError(t, s.Publish("eu", bundle(1)))
	after, now := s.Select("eu")
	require.Equal(t, before, after)
	require.Equal(t, revision, now)
	require.Empty(t, sub.Changed())
	require.NoError(t, s.Publish("eu", bundle(2)))
	<-sub.Changed()
	s.Remove("eu")
	<-sub.Changed()
}

func TestSubscriptionsOfAClusterAreBounded(t *testing.T) {
	s := bundles.New(bundles.CompressedLimit)
	var all []*bundles.Subscription
	for range 3 {
		sub, ok := s.Subscribe("eu", 3)
		require.True(t, ok)
		all = append(all, sub)
	}
	_, ok := s.Subscribe("eu", 3)
	require.False(t, ok)
	other, ok := s.Subscribe("us", 3)
	require.True(t, ok, "each cluster has its own limit")
	other.Close()
	for _, sub := range all {
		sub.Close()
		sub.Close()
	}
	require.Zero(t, s.Counts().Waiting)
}

func TestCompressedFormsAreBounded(t *testing.T) {
	s := bundles.New(300)
	b := bundle(1, 2, 3, 4, 5)
	require.NoError(t, s.Publish("eu", b))
	for range 2 {
		objects, _, _ := s.Objects("eu", digests(b))
		for _, o := range objects {
			unzipped(t, o.Text(), o.Compressed())
			require.LessOrEqual(t, s.Counts().CompressedBytes, int64(300))
		}
	}
	counts := s.Counts()
	require.Greater(t, counts.Evictions, uint64(3))
	require.Greater(t, counts.Compressions, uint64(5), "an evicted object is compressed again")
}

func TestRevisionsContinueUntilARemoval(t *testing.T) {
	s := bundles.New(bundles.CompressedLimit)
	continues := func(revision uint64) bool { _, ok := s.SelectSince("", revision); return ok }
	_, start := s.Select("")
	require.True(t, continues(start))
	require.False(t, continues(start-1), "a revision of another process")
	require.False(t, continues(start+1))
	require.NoError(t, s.Publish("eu", bundle(1)))
	require.True(t, continues(start))
	s.Remove("eu")
	s.Remove("eu")
	require.False(t, continues(start))
	_, now := s.Select("")
	require.Equal(t, start+2, now)
	require.True(t, continues(now))

	require.NoError(t, s.Publish("us", bundle(1)))
	require.NoError(t, s.Publish("asia", bundle(2)))
	s.Remove("asia")
	require.False(t, continues(now+1))
	of := func(cluster string, revision uint64) bool { _, ok := s.SelectSince(cluster, revision); return ok }
	require.True(t, of("us", now+1), "a removal of another bundle does not matter")
	require.False(t, of("us", now), "at this revision the cluster had no bundle, and accord does not know any more that it had none")
	require.False(t, of("asia", now+2))
	require.False(t, of("us", now+4))
}

// TestRandomPublishes compares the Store with a map of bundles.
func TestRandomPublishes(t *testing.T) {
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 1))
		s, model := bundles.New(int64(r.IntN(4000))), map[string]bundles.Bundle{}
		clusters := []string{"a", "b", "c", "d"}
		for range 300 {
			cluster := clusters[r.IntN(len(clusters))]
			switch r.IntN(5) {
			case 0:
				s.Remove(cluster)
				delete(model, cluster)
			case 1, 2:
				b := bundle(r.Perm(12)[:r.IntN(8)]...)
				require.NoError(t, s.Publish(cluster, b))
				model[cluster] = b
			default:
				checkRead(t, r, s, cluster, model)
			}
			checkCounts(t, s, model)
		}
		for _, cluster := range clusters {
			s.Remove(cluster)
		}
		counts := s.Counts()
		counts.Compressions, counts.Evictions = 0, 0
		require.Zero(t, counts, "seed %d", seed)
	}
}

// checkRead reads random objects of a cluster, among them foreign ones.
func checkRead(t *testing.T, r *rand.Rand, s *bundles.Store, cluster string, model map[string]bundles.Bundle) {
	b, want := model[cluster]
	asked := digests(bundle(r.Perm(14)[:5]...))
	found, absent, there := s.Objects(cluster, asked)
	require.Equal(t, want, there)
	if !there {
		return
	}
	require.Len(t, asked, len(found)+len(absent))
	for _, o := range found {
		require.Contains(t, b.Objects, o.Digest)
		unzipped(t, o.Text(), o.Compressed())
	}
	for _, digest := range absent {
		require.NotContains(t, b.Objects, digest)
	}
	index, _ := s.Index(cluster)
	require.Equal(t, delivery.Digest(b.Index), index.Digest)
	require.Equal(t, string(b.Index), string(unzipped(t, index.Text(), index.Compressed())))
}

func checkCounts(t *testing.T, s *bundles.Store, model map[string]bundles.Bundle) {
	held, size := map[string]bool{}, 0
	for _, b := range model {
		size += len(b.Index)
		for digest, body := range b.Objects {
			if !held[digest] {
				size += len(body)
			}
			held[digest] = true
		}
	}
	counts := s.Counts()
	require.Equal(t, []int{len(model), len(held), size}, []int{counts.Clusters, counts.Objects, int(counts.Bytes)})
}

func TestReadersAndPublishersAtOnce(t *testing.T) {
	s := bundles.New(2000)
	var running sync.WaitGroup
	end := time.Now().Add(200 * time.Millisecond)
	for i := range 4 {
		cluster := string(rune('a' + i))
		running.Go(func() {
			for n := 0; time.Now().Before(end); n++ {
				if n%7 == 6 {
					s.Remove(cluster)
				} else if err := s.Publish(cluster, bundle(n%5, n%5+1, 100+i)); err != nil {
					t.Error(err)
				}
			}
			s.Remove(cluster)
		})
		running.Go(func() {
			for time.Now().Before(end) {
				objects, _, _ := s.Objects(cluster, digests(bundle(0, 1, 2, 3, 100+i)))
				for _, o := range objects {
					first, second := o.Compressed(), o.Compressed()
					if !bytes.Equal(first, second) {
						t.Error("two forms of one object")
					}
				}
			}
		})
		running.Go(func() {
			sub, _ := s.Subscribe(cluster, 10)
			defer sub.Close()
			for time.Now().Before(end) {
				select {
				case <-sub.Changed():
				case <-time.After(10 * time.Millisecond):
				}
			}
		})
	}
	running.Wait()
	counts := s.Counts()
	counts.Compressions, counts.Evictions = 0, 0
	require.Zero(t, counts)
}

// The requests of one registration of a cluster say nothing about the rights of another one.
func TestVisitsOfARegistration(t *testing.T) {
	s := bundles.New(bundles.CompressedLimit)
	s.SetClusterVersion("eu", "1")
	require.Zero(t, s.Visited("eu", "agent-1"))
	s.Hear("eu", "agent-1", time.Minute)
	require.NotZero(t, s.Visited("eu", "agent-1"))
	require.Zero(t, s.Visited("us", "agent-1"))
	s.Hear("eu", "agent-2", time.Minute)
	require.Zero(t, s.Visited("eu", "agent-1"))
	s.SetClusterVersion("eu", "")
	require.Zero(t, s.Visited("eu", "agent-2"), "the Cluster is gone")
}
