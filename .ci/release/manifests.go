package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// imageName returns the name of an image of this release, by its digest.
func (r *release) imageName(name string, digests map[string]v1.Hash) string {
	return fmt.Sprintf("%s/%s:%s@%s", r.registry, name, r.version, digests[name])
}

// manifests writes what "accord install" prints for the image, and its CustomResourceDefinitions alone. It returns the latter.
func (r *release) manifests(ctx context.Context, programs, image string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, program(programs, platform{runtime.GOOS, runtime.GOARCH}, "accord"), "install", "--image", image)
	cmd.Stderr = os.Stderr
	printed, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("accord install: %w", err)
	}
	if err := os.WriteFile(filepath.Join(r.out, "install.yaml"), printed, 0o644); err != nil {
		return nil, err
	}
	crds := definitions(printed)
	return crds, os.WriteFile(filepath.Join(r.out, "crds.yaml"), crds, 0o644)
}

// definitions returns the CustomResourceDefinitions of YAML documents. The files of api/v1alpha1/crds have fewer versions: the program adds
// one.
func definitions(documents []byte) []byte {
	var crds [][]byte
	for document := range bytes.SplitSeq(documents, []byte("---\n")) {
		if bytes.Contains(document, []byte("kind: CustomResourceDefinition\n")) {
			crds = append(crds, document)
		}
	}
	return bytes.Join(crds, []byte("---\n"))
}
