// Package search keeps copies of objects of many clusters in memory, and reads them as if one API server had them all: in the order of the
// clusters, with resourceVersions that have a position in each cluster.
package search

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ClusterAnnotation names the cluster of a cached object.
const ClusterAnnotation = "resource.karmada.io/cached-from-cluster"

// begin is the text of every object before its resourceVersion, which differs between readers.
const begin = `{"metadata":{"resourceVersion":"`

// Object is an object of a cluster, without managedFields. It does not change.
type Object struct {
	Cluster, Namespace, Name string
	// Version is the resourceVersion on the cluster.
	Version string

	revision uint64 // of Version; 0 if it is no number
	labels   labels.Set
	rest     []byte // the JSON behind the resourceVersion
	metadata int    // length of the metadata in rest, with its last brace
}

// newObject reads the JSON of an object of a cluster. Items of lists have no apiVersion and kind: gvk has them.
func newObject(text []byte, cluster string, gvk schema.GroupVersionKind) (*Object, error) {
	var fields, metadata map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, fmt.Errorf("an object of cluster %s: %w", cluster, err)
	}
	if err := json.Unmarshal(fields["metadata"], &metadata); err != nil {
		return nil, fmt.Errorf("the metadata of an object of cluster %s: %w", cluster, err)
	}
	var known metav1.ObjectMeta
	for name, into := range map[string]any{
		"name": &known.Name, "namespace": &known.Namespace, "resourceVersion": &known.ResourceVersion, "labels": &known.Labels, "annotations": &known.Annotations,
	} {
		if raw := metadata[name]; raw != nil {
			if err := json.Unmarshal(raw, into); err != nil {
				return nil, fmt.Errorf("the metadata of an object of cluster %s: %s: %w", cluster, name, err)
			}
		}
	}
	if known.Name == "" {
		return nil, errors.New("an object of cluster " + cluster + " has no name")
	}
	o := &Object{Cluster: cluster, Namespace: known.Namespace, Name: known.Name, Version: known.ResourceVersion, labels: known.Labels}
	o.revision, _ = strconv.ParseUint(o.Version, 10, 64) // another form has no order

	annotations := known.Annotations
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[ClusterAnnotation] = cluster
	metadata["annotations"], _ = json.Marshal(annotations)
	delete(metadata, "resourceVersion")
	delete(metadata, "managedFields")
	delete(fields, "metadata")
	fields["apiVersion"], _ = json.Marshal(gvk.GroupVersion().String())
	fields["kind"], _ = json.Marshal(gvk.Kind)

	rest := make([]byte, 0, len(text))
	rest = append(appendFields(append(rest, '"'), metadata), '}')
	o.metadata = len(rest)
	o.rest = slices.Clip(append(appendFields(rest, fields), '}'))
	return o, nil
}

// appendFields appends fields, each with a comma before it.
func appendFields(to []byte, fields map[string]json.RawMessage) []byte {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		to = append(strconv.AppendQuote(append(to, ','), name), ':')
		to = append(to, fields[name]...)
	}
	return to
}

// AppendJSON appends the JSON of the object with a resourceVersion, which is made of letters, digits, "-" and "_".
func (o *Object) AppendJSON(to []byte, version string) []byte {
	return append(append(append(to, begin...), version...), o.rest...)
}

// AppendMetadata appends the JSON of the object as a PartialObjectMetadata.
func (o *Object) AppendMetadata(to []byte, version string) []byte {
	to = append(append(append(to, begin...), version...), o.rest[:o.metadata]...)
	return append(to, `,"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadata"}`...)
}

// key orders objects of one cluster: by namespace, then by name.
func (o *Object) key() string { return o.Namespace + "/" + o.Name }
