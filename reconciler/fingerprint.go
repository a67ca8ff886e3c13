package reconciler

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/stage"
)

// fingerprints stand on the hub where a digest would be of a Secret, or of a whole that has one in it: with a digest, whoever
// may read it could try values until one fits. The same digest has the same fingerprint, as long as the key is the same.
type fingerprints struct {
	key []byte
	// lasting says that the next process has the same key. Where it has not, a fingerprint tells what changes within one
	// process, and nothing may depend on it that has to go on after a restart.
	lasting bool
}

// fingerprintKeySize is that of the hash: more would add nothing.
const fingerprintKeySize = sha256.Size

// newFingerprints have a key that nobody else has, and that ends with the process.
func newFingerprints() *fingerprints { return &fingerprints{key: newFingerprintKey()} }

func newFingerprintKey() []byte {
	key := make([]byte, fingerprintKeySize)
	_, _ = rand.Read(key) // never fails, as documented
	return key
}

// of is "hmac:<16 hex digits>", as long as the digest of an object.
func (p *fingerprints) of(digest string) string {
	return "hmac:" + hex.EncodeToString(p.sum(digest)[:8])
}

// ofWhole is "hmac-sha256:<64 hex digits>", as long as the digest of a cluster.
func (p *fingerprints) ofWhole(digest string) string {
	return "hmac-sha256:" + hex.EncodeToString(p.sum(digest))
}

func (p *fingerprints) sum(digest string) []byte {
	h := hmac.New(sha256.New, p.key)
	h.Write([]byte(digest))
	return h.Sum(nil)
}

// shown is what is told of the digest of an object; that there is none is told as it is.
func (f *federation) shown(id manifest.ID, digest string) string {
	if digest == "" || !id.IsSecret() {
		return digest
	}
	return f.fingerprints.of(digest)
}

// targetDigest is what is told of TargetDigest, and compared with what was told.
func (f *federation) targetDigest(plan *propagate.Plan, cluster string) string {
	digest := plan.ClusterDigest(cluster)
	secret := func(p propagate.Placed) bool { return p.ID.IsSecret() }
	if !slices.ContainsFunc(plan.ForCluster(cluster).Objects, secret) || !f.fingerprints.lasting {
		return digest
	}
	return f.fingerprints.ofWhole(digest)
}

// stagedDigest is what stages know of the digest of an object: they go on where the process before this one was, so that without
// a key that lasts it is the digest itself.
func (f *federation) stagedDigest(id manifest.ID, digest string) string {
	if !f.fingerprints.lasting {
		return digest
	}
	return f.shown(id, digest)
}

// wanted is what stages know of what a rollout wants of a cluster: r.Wanted, where no Secret is in it.
func (f *federation) wanted(r *propagate.Rollout, cluster string) string {
	items := r.Items(cluster)
	secret := func(i stage.Item) bool { return i.ID.IsSecret() }
	if !slices.ContainsFunc(items, secret) || !f.fingerprints.lasting {
		return r.Digest(cluster)
	}
	items = slices.Clone(items)
	for i := range items {
		items[i].Digest = f.stagedDigest(items[i].ID, items[i].Digest)
	}
	return stage.Sum(items)
}
