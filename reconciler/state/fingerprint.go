package state

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/stage"
)

// Fingerprints replace the digests of Secrets on the hub, and the digests of wholes that contain one: anybody who may
// read a digest could try values until one fits. The same digest has the same fingerprint as long as the key is the
// same.
type Fingerprints struct {
	Key []byte
	// Lasting is set if the next process has the same key. Otherwise a fingerprint detects changes within one process
	// only, and nothing that continues after a restart depends on it.
	Lasting bool
}

// Of returns "hmac:<16 hex digits>", as long as the digest of an object.
func (p *Fingerprints) Of(digest string) string {
	return "hmac:" + hex.EncodeToString(p.sum(digest)[:8])
}

// OfTarget returns "hmac-sha256:<64 hex digits>", as long as the digest of a cluster's target.
func (p *Fingerprints) OfTarget(digest string) string {
	return "hmac-sha256:" + hex.EncodeToString(p.sum(digest))
}

func (p *Fingerprints) sum(digest string) []byte {
	h := hmac.New(sha256.New, p.Key)
	h.Write([]byte(digest))
	return h.Sum(nil)
}

// public returns the digest of an object as the hub shows it. An empty digest stays empty.
func (f *Federation) public(id manifest.ID, digest string) string {
	if digest == "" || !id.IsSecret() {
		return digest
	}
	return f.fingerprints.Of(digest)
}

// targetDigest returns the digest of a cluster's target as the hub shows it.
func (f *Federation) targetDigest(plan *propagate.Plan, cluster string) string {
	digest := plan.ClusterDigest(cluster)
	secret := func(p propagate.Placed) bool { return p.ID.IsSecret() }
	if !slices.ContainsFunc(plan.ForCluster(cluster).Objects, secret) || !f.fingerprints.Lasting {
		return digest
	}
	return f.fingerprints.OfTarget(digest)
}

// stageDigest returns the digest of an object as stages compare it: stages continue after a restart, so without a
// lasting key it is the digest itself.
func (f *Federation) stageDigest(id manifest.ID, digest string) string {
	if !f.fingerprints.Lasting {
		return digest
	}
	return f.public(id, digest)
}

// RolloutDigest returns the digest of the version that a rollout wants on a cluster, as stages compare it.
func (f *Federation) RolloutDigest(r *propagate.Rollout, cluster string) string {
	items := r.Items(cluster)
	secret := func(i stage.Item) bool { return i.ID.IsSecret() }
	if !slices.ContainsFunc(items, secret) || !f.fingerprints.Lasting {
		return r.Digest(cluster)
	}
	items = slices.Clone(items)
	for i := range items {
		items[i].Digest = f.stageDigest(items[i].ID, items[i].Digest)
	}
	return stage.Sum(items)
}
