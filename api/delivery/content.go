package delivery

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
)

const (
	// MaxDigests is the largest number of digests in one request for objects.
	MaxDigests = 500
	// MaxRequestBytes is the largest body of a request for objects: MaxDigests digests with room for white space.
	MaxRequestBytes = 128 * MaxDigests
	// LeaseParameter of a request for an index has the time for which its agent counts as alive from now on (?lease=40s).
	LeaseParameter = "lease"
	// MaxWait is the longest time that a request waits for another index (?wait=30s). The API server of a hub ends requests after a minute.
	MaxWait = 50 * time.Second
	// MaxWaiting is the largest number of requests and watches that wait for the bundle of one cluster.
	MaxWaiting = 8
	// ClusterVersion is the header of an answer to a request for an index with the resourceVersion of the Cluster: the agent reads the Cluster
	// again if it knows an older one.
	ClusterVersion = "Cluster-Version"
	// ReportWithin is the header of an index with the time over which the agents of all clusters spread their reports, such as "400ms". Each
	// agent waits for a random part of it.
	ReportWithin = "Report-Within"
	// MaxAnswerBytes is the largest body of an answer: the inventories of 150,000 objects.
	MaxAnswerBytes = 16 << 20
	// MediaType of the answer to a request for objects: one Content after another, each on a line.
	MediaType = "application/x-ndjson"
)

const (
	// reportTime is the part of ReportSpread for each cluster: the hub spends about as much CPU on a report. maxReportSpread is its maximum.
	reportTime      = 8 * time.Millisecond
	maxReportSpread = 30 * time.Second
)

// ReportSpread returns the time over which the agents of some clusters spread their reports of one commit.
func ReportSpread(clusters int) time.Duration {
	return min(time.Duration(clusters)*reportTime, maxReportSpread)
}

// Content is one object of a bundle. Its digest is the SHA-256 of the bytes of Body as they are in the answer.
type Content struct {
	Digest string          `json:"digest"`
	Body   json.RawMessage `json:"body"`
}

// Digest returns the SHA-256 digest of a text in lower-case hexadecimal.
func Digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// CheckDigest returns an error for a text that is not a SHA-256 digest in lower-case hexadecimal.
func CheckDigest(digest string) error {
	const length = 64
	if raw, err := hex.DecodeString(digest); len(digest) != length || err != nil || hex.EncodeToString(raw) != digest {
		return fmt.Errorf("digest %.80q: a digest is the SHA-256 of an object in %d lower-case hexadecimal digits, as the index has it", digest, length)
	}
	return nil
}
