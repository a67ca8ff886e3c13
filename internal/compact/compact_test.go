package compact

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every text comes back as it was, whatever was kept before it, from several goroutines.
func TestTextsComeBack(t *testing.T) {
	for _, texts := range []*Texts{nil, {}} { // without one, nothing is copied
		var all sync.WaitGroup
		for n := range uint64(4) {
			all.Go(func() {
				random := rand.New(rand.NewPCG(n, 1))
				for i := range 500 {
					text := []byte(strings.Repeat(fmt.Sprintf("%d %d ", i, random.IntN(4)), random.IntN(200)))
					if i%7 == 0 { // nothing like it, and incompressible
						text = make([]byte, random.IntN(100<<10)*(i%2))
						for at := range text {
							text[at] = byte(random.Uint32())
						}
					}
					before := bytes.Clone(text)
					k := texts.Keep(fmt.Sprint(i%3), text)
					if texts != nil {
						clear(text)
					}
					if !bytes.Equal(before, k.Bytes()) || len(before) != k.Len() {
						t.Errorf("%d: %d bytes came back as %d", i, len(before), k.Len())
					}
					k.Read(func(text []byte) {
						if !bytes.Equal(before, text) {
							t.Errorf("%d: read as %d bytes", i, len(text))
						}
					})
				}
			})
		}
		all.Wait()
	}
	require.Empty(t, Text{}.Bytes())
	require.Zero(t, Text{}.Len())
}

// Texts of a class are a fraction of their size once it has a dictionary.
func TestSimilarTextsAreSmall(t *testing.T) {
	var texts Texts
	random := rand.New(rand.NewPCG(1, 2))
	common := make([]byte, 2000)
	for at := range common {
		common[at] = byte('a' + random.IntN(26))
	}
	for i := range 100 {
		text := append(fmt.Appendf(nil, "name-%d ", i), common...)
		if k := texts.Keep("Deployment", text); i > 50 {
			require.Less(t, len(k.data), 100)
		}
	}
}

func BenchmarkKeep(b *testing.B) {
	var texts Texts
	text := []byte(strings.Repeat("checkout.timeout.seconds=30 # long enough\n", 10))
	for i := range 60 {
		text = fmt.Appendf(text, `"field-%d":{"value":%d},`, i, i*i)
	}
	for range 100 {
		texts.Keep("", text)
	}
	b.ReportAllocs()
	for b.Loop() {
		k := texts.Keep("", text)
		k.Bytes()
	}
	b.ReportMetric(float64(len(texts.Keep("", text).data)), "B-kept")
}
