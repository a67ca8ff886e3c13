// Package list reads the lists of an API server without holding them as a whole.
package list

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// listPage is how many objects one answer has, unless the API server answers from memory: then it sends all.
const listPage = "500"

// Each hands over the objects of one list as they arrive, so that no more than one is in memory. An object is only valid
// until f returns.
func Each[T any](ctx context.Context, client rest.Interface, path, fieldSelector string, f func(*T)) error {
	for next := ""; ; {
		request := client.Get().AbsPath(path).Param("limit", listPage)
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
		page, err := Decode(body, f)
		next = page.Continue
		if err = errors.Join(err, body.Close()); err != nil || next == "" {
			return err
		}
	}
}

// Head is what a list says of itself.
type Head struct {
	metav1.TypeMeta
	metav1.ListMeta // Continue asks for the next page, and is empty when there is none
}

// Decode reads one page. Numbers in what has no type are json.Number.
func Decode[T any](page io.Reader, f func(*T)) (h Head, err error) {
	d := json.NewDecoder(page)
	d.UseNumber()
	if err := expect(d, json.Delim('{')); err != nil {
		return h, err
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return h, err
		}
		switch key {
		case "kind":
			err = d.Decode(&h.Kind)
		case "apiVersion":
			err = d.Decode(&h.APIVersion)
		case "metadata":
			err = d.Decode(&h.ListMeta)
		case "items":
			err = items(d, f)
		default:
			var skipped json.RawMessage
			err = d.Decode(&skipped)
		}
		if err != nil {
			return h, err
		}
	}
	return h, expect(d, json.Delim('}')) // without it the connection broke off
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
