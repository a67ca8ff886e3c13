// Package list streams lists from an API server, one object at a time.
package list

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/internal/egress"
)

// pageSize is the page size; an API server that answers from its watch cache ignores it and sends all objects.
const pageSize = "500"

// Each calls f with every object of a list as it arrives, so that one object at a time is in memory. The object is
// valid until f returns.
func Each[T any](ctx context.Context, client rest.Interface, path, fieldSelector string, f func(*T)) error {
	ctx = egress.WithLimit(ctx, egress.Page)
	var pages Pages
	for next := ""; ; {
		if err := pages.Next(); err != nil {
			return err
		}
		request := client.Get().AbsPath(path).Param("limit", pageSize)
		if fieldSelector != "" {
			request = request.Param("fieldSelector", fieldSelector)
		}
		if next == "" {
			request = request.Param("resourceVersion", "0") // allow an answer from the watch cache
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

// maxPages bounds the pages of one list: 250,000 objects with the smallest pages that accord requests.
const maxPages = 1000

// ErrTooManyPages is the error of a list that does not end.
var ErrTooManyPages = fmt.Errorf("the list has more than %d pages", maxPages)

// Pages counts the pages of one list.
type Pages int

// Next counts a page, and returns ErrTooManyPages instead of the page that is too many.
func (p *Pages) Next() error {
	if *p >= maxPages {
		return ErrTooManyPages
	}
	*p++
	return nil
}

// Head holds the fields of a list beside its items.
type Head struct {
	metav1.TypeMeta
	metav1.ListMeta // Continue requests the next page; empty on the last page
}

// Decode reads one page and calls f with each item. Numbers in untyped values become json.Number.
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
	return h, expect(d, json.Delim('}')) // a missing brace means that the connection broke
}

// items reads the array of items.
func items[T any](d *json.Decoder, f func(*T)) error {
	start, err := d.Token()
	if err != nil || start == nil { // null means no items
		return err
	}
	if start != json.Delim('[') {
		return fmt.Errorf("items of a list: expected [, got %v", start)
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
		err = fmt.Errorf("malformed list: expected %[2]v, got %[1]v", got, want)
	}
	return err
}
