package load

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/tools/txtar"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/render"
)

// ReadManifests returns the objects of one file, with its path as given. Mistakes are *manifest.Errors with that path.
func ReadManifests(file string) ([]render.Object, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading manifests: %w", err)
	}
	return ParseManifests(file, data)
}

// ParseManifests returns the objects in the text of a file.
func ParseManifests(file string, data []byte) ([]render.Object, error) {
	files, err := txtar.FS(&txtar.Archive{Files: []txtar.File{{Name: "manifests.yaml", Data: data}}})
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", file, err)
	}
	objects, err := render.Build(files, render.Options{})
	for i := range objects {
		objects[i].Origin.Path = file
	}
	return objects, withPath(file, err)
}

// withPath sets the path of the *manifest.Errors in err.
func withPath(file string, err error) error {
	if joined, several := err.(interface{ Unwrap() []error }); several {
		var all []error
		for _, e := range joined.Unwrap() {
			all = append(all, withPath(file, e))
		}
		return errors.Join(all...)
	}
	if mistake, ok := errors.AsType[*manifest.Error](err); ok {
		moved := *mistake
		moved.Origin.Path = file
		return &moved
	}
	return err
}
