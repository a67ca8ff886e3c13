package memberserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// record is one version of one object. It never changes, so that it can be shared and sent without a lock.
type record struct {
	types.NamespacedName
	labels  labels.Set
	version uint64
	text    []byte // JSON
	meta    []byte // the metadata in it
}

// newRecord keeps an object as JSON, with that version.
func newRecord(u *unstructured.Unstructured, version uint64) (*record, error) {
	u.SetResourceVersion(strconv.FormatUint(version, 10))
	meta, err := json.Marshal(u.Object["metadata"])
	if err != nil {
		return nil, fmt.Errorf("keeping %s: %w", u.GetName(), err)
	}
	rest := make(map[string]any, len(u.Object))
	for key, value := range u.Object {
		if key != "metadata" {
			rest[key] = value
		}
	}
	text, err := json.Marshal(rest)
	if err != nil {
		return nil, fmt.Errorf("keeping %s: %w", u.GetName(), err)
	}
	const head = `{"metadata":`
	whole := make([]byte, 0, len(head)+len(meta)+len(text))
	whole = append(append(whole, head...), meta...)
	end := len(whole)
	whole = append(append(whole, ','), text[1:]...) // a kind always has an apiVersion and a kind
	return &record{
		NamespacedName: types.NamespacedName{Namespace: u.GetNamespace(), Name: u.GetName()},
		labels:         u.GetLabels(), version: version, text: whole, meta: whole[len(head):end],
	}, nil
}

// object is the record as something that can be changed.
func (r *record) object() (*unstructured.Unstructured, error) {
	u := &unstructured.Unstructured{}
	if err := utiljson.Unmarshal(r.text, &u.Object); err != nil {
		return nil, fmt.Errorf("reading %s: %w", r.Name, err)
	}
	return u, nil
}

// sent is the JSON of the record, whole or as PartialObjectMetadata.
func (r *record) sent(partial bool) []byte {
	if !partial {
		return r.text
	}
	return bytes.Join([][]byte{[]byte(`{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":`), r.meta, []byte(`}`)}, nil)
}
