package merge

import (
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/watch"
)

// Events merges the events of watches. It is not safe for concurrent use.
type Events struct {
	Tables
	begun bool // the columns are sent
}

// event is a frame of a watch.
type event struct {
	Type   watch.EventType `json:"type"`
	Object json.RawMessage `json:"object"`
}

// Next returns the frame that the merged watch sends for a frame of a source, and the resourceVersion of its object, from which a later
// watch of the source goes on. It returns no frame for a bookmark, and the error of a watch that failed.
func (e *Events) Next(from Source, frame []byte) (sent []byte, version string, err error) {
	var in event
	if err := utiljson.Unmarshal(frame, &in); err != nil {
		return nil, "", fmt.Errorf("reading an event: %w", err)
	}
	var object struct {
		metav1.TypeMeta `json:",inline"`
		metav1.ListMeta `json:"metadata"`
	}
	if err := utiljson.Unmarshal(in.Object, &object); err != nil {
		return nil, "", fmt.Errorf("reading the object of an event: %w", err)
	}
	switch {
	case in.Type == watch.Error:
		status := &apierrors.StatusError{}
		if err := utiljson.Unmarshal(in.Object, &status.ErrStatus); err != nil {
			return nil, "", fmt.Errorf("reading the error of a watch: %w", err)
		}
		return nil, "", status
	case in.Type == watch.Bookmark:
		return nil, object.ResourceVersion, nil
	case object.Kind == "Table":
		in.Object, version, err = e.table(from, in.Object)
	default:
		version = object.ResourceVersion
		in.Object, err = annotated(from, in.Object)
	}
	if err != nil {
		return nil, "", err
	}
	sent, err = json.Marshal(in)
	return append(sent, '\n'), version, err
}

// table extends the table of an event. Only the first one has columns, as in the watch of one server.
func (e *Events) table(from Source, object []byte) ([]byte, string, error) {
	table := &metav1.Table{}
	if err := utiljson.Unmarshal(object, table); err != nil {
		return nil, "", fmt.Errorf("reading the table of an event: %w", err)
	}
	version := table.ResourceVersion
	if len(table.Rows) > 0 {
		var row metav1.PartialObjectMetadata
		if json.Unmarshal(table.Rows[0].Object.Raw, &row) == nil {
			version = row.ResourceVersion
		}
	}
	e.Extend(from, table)
	if e.begun {
		table.ColumnDefinitions = nil
	}
	e.begun = true
	out, err := json.Marshal(table)
	return out, version, err
}
