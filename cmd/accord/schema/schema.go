// Package schema prints the JSON schemas of the kinds that people write in files, and of the documents that commands print.
package schema

import (
	"embed"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/accord-dev/accord/api/jsonschema"
	"github.com/accord-dev/accord/cmd/accord/text"
)

//go:embed cli.accord.dev
var documents embed.FS

// all returns the kinds in display order.
func all() ([]jsonschema.Kind, error) {
	kinds := jsonschema.All()
	files, err := documents.ReadDir(text.DocumentGroup)
	if err != nil {
		return nil, fmt.Errorf("reading the embedded schemas: %w", err)
	}
	for _, f := range files {
		schema, err := documents.ReadFile(path.Join(text.DocumentGroup, f.Name()))
		if err != nil {
			return nil, fmt.Errorf("reading the embedded schemas: %w", err)
		}
		title, err := jsonschema.Title(schema)
		if err != nil {
			return nil, err
		}
		kinds = append(kinds, jsonschema.Kind{Group: text.DocumentGroup, Name: title})
	}
	return kinds, nil
}

// read returns the schema of a kind.
func read(k jsonschema.Kind) ([]byte, error) {
	if k.Group != text.DocumentGroup {
		return k.Schema()
	}
	schema, err := documents.ReadFile(k.Path())
	if err != nil {
		return nil, fmt.Errorf("reading the embedded schema: %w", err)
	}
	return schema, nil
}

// Names returns the names of the kinds.
func Names() []string {
	kinds, _ := all() // a completion has no place for an error
	var names []string
	for _, k := range kinds {
		names = append(names, k.Name)
	}
	return slices.Compact(slices.Sorted(slices.Values(names)))
}

// List writes a table of the kinds.
func List(out io.Writer) error {
	kinds, err := all()
	if err != nil {
		return err
	}
	rows := [][]string{{"KIND", "APIVERSION", "PURPOSE"}}
	for _, k := range kinds {
		schema, err := read(k)
		if err != nil {
			return err
		}
		purpose, err := jsonschema.Purpose(schema)
		if err != nil {
			return err
		}
		rows = append(rows, []string{k.Name, k.APIVersion(), purpose})
	}
	return text.Table(out, "", rows)
}

// Print writes the schema of one kind.
func Print(out io.Writer, name string) error {
	kinds, err := all()
	if err != nil {
		return err
	}
	k, err := jsonschema.Find(kinds, name)
	if err != nil {
		return err
	}
	schema, err := read(k)
	if err != nil {
		return err
	}
	_, err = out.Write(schema)
	return err
}

// WriteAll writes one file for each kind below dir, and the paths of the files to out.
func WriteAll(out io.Writer, dir string) error {
	kinds, err := all()
	if err != nil {
		return err
	}
	for _, k := range kinds {
		schema, err := read(k)
		if err != nil {
			return err
		}
		path := filepath.Join(dir, filepath.FromSlash(k.Path()))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("creating the directory of a schema: %w", err)
		}
		if err := os.WriteFile(path, schema, 0o644); err != nil {
			return fmt.Errorf("writing a schema: %w", err)
		}
		if _, err := fmt.Fprintln(out, path); err != nil {
			return err
		}
	}
	return nil
}
