package render

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestHostileDigest makes two manifests with one XXH64, of which one runs another image: with that digest, the other image
// would run while Git, status and drift detection show the reviewed one.
func TestHostileDigest(t *testing.T) {
	reviewed, delivered := collision(t, "registry.example/shop/web:1.8.2", "evil.example/miner/latest:6.6.6")
	require.Equal(t, xxhash.Sum64(appendJSON(nil, reviewed.Object)), xxhash.Sum64(appendJSON(nil, delivered.Object)))
	require.NotEqual(t, Digest(reviewed), Digest(delivered))
}

// collision returns two Deployments with these images, which have the same length, and with the same XXH64.
func collision(t *testing.T, image, other string) (a, b *unstructured.Unstructured) {
	deployment := func(image, workingDir string) *unstructured.Unstructured {
		container := map[string]any{"name": "web", "image": image, "workingDir": workingDir}
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": "web", "namespace": "shop"},
			"spec": map[string]any{"template": map[string]any{"spec": map[string]any{"containers": []any{container}}}},
		}}
	}
	room := strings.Repeat("x", 3*stripe)
	textA, textB := appendJSON(nil, deployment(image, room).Object), appendJSON(nil, deployment(other, room).Object)
	require.Len(t, textB, len(textA))
	start := bytes.Index(textA, []byte(room))
	free := (start + stripe - 1) / stripe * stripe // two whole stripes from here are the author's to choose
	lanesA, lanesB := lanesOf(textA[:free]), lanesOf(textB[:free])
	for lane := range lanesA {
		chosen, correction := textB[free+8*lane:][:8], textB[free+stripe+8*lane:][:8]
		wanted := round(round(lanesA[lane], textA[free+8*lane:]), textA[free+stripe+8*lane:])
		for printable := false; !printable; {
			for i := range chosen {
				chosen[i] = byte('a' + rand.IntN(26))
			}
			// round is invertible: one input leads from here to the wanted value.
			binary.LittleEndian.PutUint64(correction, (bits.RotateLeft64(wanted*inverse(prime1), -31)-round(lanesB[lane], chosen))*inverse(prime2))
			printable = bytes.IndexFunc(correction, func(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' }) < 0
		}
	}
	return deployment(image, room), deployment(other, string(textB[start:][:len(room)]))
}

// XXH64 mixes stripes of 32 bytes into four lanes of 8 bytes.
const (
	stripe = 32
	prime1 = 11400714785074694791
	prime2 = 14029467366897019727
)

func lanesOf(text []byte) [4]uint64 {
	p1, p2 := uint64(prime1), uint64(prime2)
	lanes := [4]uint64{p1 + p2, p2, 0, -p1}
	for ; len(text) > 0; text = text[stripe:] {
		for i := range lanes {
			lanes[i] = round(lanes[i], text[8*i:])
		}
	}
	return lanes
}

func round(lane uint64, text []byte) uint64 {
	return bits.RotateLeft64(lane+binary.LittleEndian.Uint64(text)*prime2, 31) * prime1
}

// inverse returns the multiplicative inverse of an odd number modulo 2^64.
func inverse(n uint64) uint64 {
	x := n
	for range 6 { // each step of Newton's method doubles the number of right bits
		x *= 2 - n*x
	}
	return x
}
