// Package fingerprint replaces digests of Secrets in the records on the hub. With a plain digest, a reader of the hub
// could guess values until one fits. The package is pure; package store keeps the key.
package fingerprint

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/applyorder"
	"github.com/accord-dev/accord/propagate/stage"
)

const prefix = "hmac-sha256:"

// KeySize is the size of a key in bytes, that of the hash.
const KeySize = sha256.Size

// Key computes fingerprints. The same digest has the same fingerprint as long as the secret is the same.
type Key struct {
	secret  []byte
	durable bool
}

// New returns the Key of a secret. A durable secret is the same after a restart; other fingerprints are only
// comparable within one process, so that no decision which outlives the process may depend on them.
func New(secret []byte, durable bool) *Key { return &Key{secret: secret, durable: durable} }

// short returns "hmac-sha256:" and 32 hexadecimal digits, as many as the digest of an object has.
func (k *Key) short(digest string) string {
	return prefix + hex.EncodeToString(k.sum(digest)[:16])
}

// long returns "hmac-sha256:<64 hex digits>", as long as the digest of a cluster.
func (k *Key) long(digest string) string {
	return prefix + hex.EncodeToString(k.sum(digest))
}

func (k *Key) sum(digest string) []byte {
	h := hmac.New(sha256.New, k.secret)
	h.Write([]byte(digest))
	return h.Sum(nil)
}

// Object returns the digest of an object as the records show it: a fingerprint for a Secret, digest itself for others.
// It returns "" for "".
func (k *Key) Object(id manifest.ID, digest string) string {
	if digest == "" || !id.IsSecret() {
		return digest
	}
	return k.short(digest)
}

// Cluster returns Plan.ClusterDigest as the records show it: a fingerprint if the cluster gets a Secret and the key is
// durable.
func (k *Key) Cluster(plan *propagate.Plan, cluster string) string {
	digest := plan.ClusterDigest(cluster)
	if !k.durable || !hasSecret(plan.ForCluster(cluster).Objects) {
		return digest
	}
	return k.long(digest)
}

// hasSecret reports whether a list of objects in apply order has a Secret. In that order, all Secrets of a cluster are together.
func hasSecret(objects []propagate.Placed) bool {
	first, _ := slices.BinarySearchFunc(objects, manifest.ID{Kind: "Secret"}, func(p propagate.Placed, id manifest.ID) int {
		return applyorder.Compare(p.ID, id)
	})
	return first < len(objects) && objects[first].ID.IsSecret()
}

// Staged returns the digest of an object as the rollout records have it. Rollouts continue after a restart, so that
// without a durable key it is the digest itself.
func (k *Key) Staged(id manifest.ID, digest string) string {
	if !k.durable {
		return digest
	}
	return k.Object(id, digest)
}

// Rollout returns Rollout.Digest as the rollout records have it: a fingerprint for every Secret, if the key is durable.
func (k *Key) Rollout(r *propagate.Rollout, cluster string) string {
	items := r.Items(cluster)
	secret := func(i stage.Item) bool { return i.ID.IsSecret() }
	if !slices.ContainsFunc(items, secret) || !k.durable {
		return r.Digest(cluster)
	}
	items = slices.Clone(items)
	for i := range items {
		items[i].Digest = k.Staged(items[i].ID, items[i].Digest)
	}
	return stage.Sum(items)
}
