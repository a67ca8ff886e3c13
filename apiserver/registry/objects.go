package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/accord-dev/accord/api/delivery"
	"github.com/accord-dev/accord/apiserver/answer"
	"github.com/accord-dev/accord/apiserver/bundles"
)

// objectsStorage serves the objects of a bundle.
type objectsStorage struct {
	subresource
	store *bundles.Store
}

var _ rest.Connecter = (*objectsStorage)(nil)

// ConnectMethods implements rest.Connecter.
func (*objectsStorage) ConnectMethods() []string { return []string{http.MethodPost} }

// Connect implements rest.Connecter.
func (s *objectsStorage) Connect(_ context.Context, cluster string, _ runtime.Object, out rest.Responder) (http.Handler, error) {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		found, err := s.find(r.Body, cluster)
		if err != nil {
			out.Error(err)
			return
		}
		compressed := answer.AcceptsGzip(r)
		begin(w, delivery.MediaType, compressed)
		writeObjects(w, found, compressed)
	}), nil
}

// find returns the objects that a request names. A request that names another object gets none.
func (s *objectsStorage) find(body io.Reader, cluster string) ([]bundles.Object, error) {
	digests, err := read(body)
	if err != nil {
		return nil, err
	}
	found, absent, there := s.store.Objects(cluster, digests)
	if !there {
		return nil, unpublished(cluster)
	}
	if len(absent) > 0 {
		return nil, absentError(cluster, absent)
	}
	return found, nil
}

// read returns the digests of a request.
func read(body io.Reader) ([]string, error) {
	text, err := readAtMost(body, delivery.MaxRequestBytes, fmt.Sprintf("the body has at most %d bytes: send several requests", delivery.MaxRequestBytes))
	if err != nil {
		return nil, err
	}
	var digests []string
	if err := json.Unmarshal(text, &digests); err != nil || len(digests) == 0 {
		return nil, apierrors.NewBadRequest(`the body is a JSON list of digests: ["<64 hexadecimal digits>", ...]`)
	}
	if len(digests) > delivery.MaxDigests {
		return nil, apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("the body has %d digests: send at most %d in a request", len(digests), delivery.MaxDigests))
	}
	seen := make(map[string]bool, len(digests))
	for _, digest := range digests {
		if err := delivery.CheckDigest(digest); err != nil {
			return nil, apierrors.NewBadRequest(err.Error())
		}
		if seen[digest] {
			return nil, apierrors.NewBadRequest("the digest " + digest + " is in the list twice: name each object once")
		}
		seen[digest] = true
	}
	return digests, nil
}

// readAtMost returns a body of at most most bytes; rule is the message about a longer one.
func readAtMost(body io.Reader, most int64, rule string) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(body, most+1))
	if err != nil {
		return nil, apierrors.NewBadRequest("the body could not be read: " + err.Error())
	}
	if int64(len(text)) > most {
		return nil, apierrors.NewRequestEntityTooLargeError(rule)
	}
	return text, nil
}

// maxNamed is the largest number of absent objects that an error names.
const maxNamed = 10

func absentError(cluster string, absent []string) error {
	err := apierrors.NewNotFound(resource, cluster)
	err.ErrStatus.Message = fmt.Sprintf("the bundle of cluster %q does not have %d of these objects: read its index again", cluster, len(absent))
	for _, digest := range absent[:min(len(absent), maxNamed)] {
		err.ErrStatus.Details.Causes = append(err.ErrStatus.Details.Causes, metav1.StatusCause{Field: digest, Message: "no object of this bundle"})
	}
	return err
}

// begin writes the headers of an answer.
func begin(w http.ResponseWriter, mediaType string, compressed bool) {
	w.Header().Set("Content-Type", mediaType)
	w.Header().Set("Vary", "Accept-Encoding")
	if compressed {
		w.Header().Set("Content-Encoding", "gzip")
	}
}

// writeObjects writes each object as a line of JSON. The compressed objects together are one gzip stream.
func writeObjects(w http.ResponseWriter, found []bundles.Object, compressed bool) {
	for _, o := range found {
		if writeText(w, o, compressed) != nil {
			return // the client is gone
		}
	}
}

// writeText writes an index or an object.
func writeText(w http.ResponseWriter, of interface {
	Text() []byte
	Compressed() []byte
}, compressed bool) error {
	text := of.Text
	if compressed {
		text = of.Compressed
	}
	_, err := w.Write(text())
	return err
}
