// Package schema prints the JSON schemas of the kinds that people write in files.
package schema

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/accord-dev/accord/api/jsonschema"
	"github.com/accord-dev/accord/cmd/accord/text"
)

// Names returns the names of the kinds.
func Names() []string {
	var all []string
	for _, k := range jsonschema.All() {
		all = append(all, k.Name)
	}
	return slices.Compact(slices.Sorted(slices.Values(all)))
}

// List writes a table of the kinds.
func List(out io.Writer) error {
	rows := [][]string{{"KIND", "APIVERSION", "PURPOSE"}}
	for _, k := range jsonschema.All() {
		purpose, err := k.Purpose()
		if err != nil {
			return err
		}
		rows = append(rows, []string{k.Name, k.APIVersion(), purpose})
	}
	return text.Table(out, "", rows)
}

// Print writes the schema of one kind.
func Print(out io.Writer, name string) error {
	k, err := jsonschema.Find(name)
	if err != nil {
		return err
	}
	schema, err := k.Schema()
	if err != nil {
		return err
	}
	_, err = out.Write(schema)
	return err
}

// WriteAll writes one file for each kind below dir, and the paths of the files to out.
func WriteAll(out io.Writer, dir string) error {
	for _, k := range jsonschema.All() {
		schema, err := k.Schema()
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
