package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// raw prints the objects as the hub has them, cleaned.
func (f *getFlags) raw(ctx context.Context, out io.Writer, h *hub, l listing, name string) error {
	v, err := h.read(ctx, l, name)
	if err != nil {
		return err
	}
	return encode(out, f.output.value, v)
}

// read is an object of the hub, or a list of them, cleaned.
func (h *hub) read(ctx context.Context, l listing, name string) (map[string]any, error) {
	body, err := h.fetch(ctx, l, name, "application/json")
	if err != nil {
		return nil, err
	}
	var v map[string]any
	if err := json.Unmarshal(body, &v); err != nil {
		return nil, fmt.Errorf("reading the answer of the hub: %w", err)
	}
	clean(v)
	items, _ := v["items"].([]any)
	for _, item := range items {
		clean(item)
	}
	return v, nil
}

// several prints all objects of some kinds as one list.
func (f *getFlags) several(ctx context.Context, out io.Writer, kinds []string, name string) error {
	if name != "" || f.output.value != asJSON && f.output.value != asYAML {
		return errors.New("several kinds at once are listed whole, with -o yaml or -o json")
	}
	h, err := f.hub.connect()
	if err != nil {
		return err
	}
	all := []any{}
	for _, kind := range kinds {
		l, err := listingOf(kind)
		if err != nil {
			return err
		}
		v, err := h.read(ctx, l, "")
		if err != nil {
			return err
		}
		items, _ := v["items"].([]any)
		all = append(all, items...)
	}
	return encode(out, f.output.value, map[string]any{"apiVersion": "v1", "kind": "List", "items": all})
}
