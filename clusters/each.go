package clusters

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// listPage is how many objects one answer has, unless the API server answers from memory: then it sends all.
const listPage = "500"

// each hands over the objects of one list as they arrive, so that no more than one is in memory. An object is only valid
// until f returns.
func each[T any](ctx context.Context, m *Member, path, fieldSelector string, f func(*T)) error {
	for next := ""; ; {
		request := m.server.RESTClient().Get().AbsPath(path).Param("limit", listPage)
		if fieldSelector != "" {
			request = request.Param("fieldSelector", fieldSelector)
		}
		if next == "" {
			request = request.Param("resourceVersion", "0") // from memory
		} else {
			request = request.Param("continue", next)
		}
		body, err := request.Stream(ctx)
		if err != nil {
			return err
		}
		next, err = eachOf(body, f)
		if err = errors.Join(err, body.Close()); err != nil || next == "" {
			return err
		}
	}
}

// eachOf reads one page; next asks for the one after it, and is empty when there is none.
func eachOf[T any](page io.Reader, f func(*T)) (next string, err error) {
	d := json.NewDecoder(page)
	if err := expect(d, json.Delim('{')); err != nil {
		return "", err
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return "", err
		}
		switch key {
		case "metadata":
			var meta metav1.ListMeta
			err = d.Decode(&meta)
			next = meta.Continue
		case "items":
			err = items(d, f)
		default:
			var skipped json.RawMessage
			err = d.Decode(&skipped)
		}
		if err != nil {
			return "", err
		}
	}
	return next, expect(d, json.Delim('}')) // without it the connection broke off
}

// items reads the array of a list.
func items[T any](d *json.Decoder, f func(*T)) error {
	start, err := d.Token()
	if err != nil || start == nil { // null is no items
		return err
	}
	if start != json.Delim('[') {
		return fmt.Errorf("the items of a list are %v", start)
	}
	for d.More() {
		var item T
		if err := d.Decode(&item); err != nil {
			return err
		}
		f(&item)
	}
	return expect(d, json.Delim(']'))
}

func expect(d *json.Decoder, want json.Delim) error {
	got, err := d.Token()
	if err == nil && got != want {
		err = fmt.Errorf("a list has %v where %v was expected", got, want)
	}
	return err
}
