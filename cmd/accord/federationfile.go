package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/tools/txtar"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/render"
)

// readFederation reads the one Federation manifest in a file, in which others may stand beside it.
func readFederation(file string) (*v1alpha1.Federation, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading the federation: %w", err)
	}
	files, err := txtar.FS(&txtar.Archive{Files: []txtar.File{{Name: filepath.Base(file), Data: data}}})
	if err != nil {
		return nil, fmt.Errorf("reading the federation: %w", err)
	}
	objects, err := render.Build(files, render.Options{})
	if err != nil {
		return nil, err
	}
	var found []*v1alpha1.Federation
	for _, o := range objects {
		if gk := o.ID().GroupKind(); gk.Group != v1alpha1.GroupVersion.Group || gk.Kind != "Federation" {
			continue
		}
		fed := &v1alpha1.Federation{}
		if err := manifest.Decode(o.Manifest, o.Text, o.Origin, fed).Err(); err != nil {
			return nil, err
		}
		found = append(found, fed)
	}
	if len(found) != 1 {
		return nil, fmt.Errorf("%s has %s, expected one", file, count(len(found), "Federation"))
	}
	return complete(found[0])
}

// complete fills in what a hub would, and refuses what one would refuse and is needed here.
func complete(fed *v1alpha1.Federation) (*v1alpha1.Federation, error) {
	switch {
	case fed.Name == "":
		return nil, errors.New("the Federation has no metadata.name")
	case len(fed.Spec.Sources) == 0:
		return nil, fmt.Errorf("federation %s has no spec.sources", fed.Name)
	case fed.Namespace == "":
		fed.Namespace = "default"
	}
	return fed, nil
}
