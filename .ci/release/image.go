package main

import (
	"archive/tar"
	"bytes"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

const (
	// nobody is the user and group of the processes, as the manifests say.
	nobody = "65532:65532"
	// programDir is where the programs are in the images, and their PATH.
	programDir = "usr/local/bin"
	// authoritiesFile is where Go looks for certificate authorities. A mount there replaces them.
	authoritiesFile = "etc/ssl/certs/ca-certificates.crt"
)

// shipped are the programs with an image of their own.
var shipped = []string{"accord", "accord-agent"}

// writeImages writes an OCI layout for each image, as a tar file, and returns the digests by the name of the program.
func (r *release) writeImages(programs string) (map[string]v1.Hash, error) {
	digests := map[string]v1.Hash{}
	for _, name := range shipped {
		index, err := r.image(programs, name)
		if err != nil {
			return nil, fmt.Errorf("image %s: %w", name, err)
		}
		if digests[name], err = index.Digest(); err != nil {
			return nil, fmt.Errorf("image %s: %w", name, err)
		}
		if err := r.writeLayout(filepath.Join(r.out, name+"-image.tar"), index, r.registry+"/"+name+":"+r.version); err != nil {
			return nil, fmt.Errorf("image %s: %w", name, err)
		}
		fmt.Printf("image      %s/%s@%s\n", r.registry, name, digests[name])
	}
	return digests, nil
}

// listImages writes the names and the digests of the images.
func (r *release) listImages(digests map[string]v1.Hash) error {
	var b bytes.Buffer
	for _, name := range shipped {
		fmt.Fprintf(&b, "%s/%s %s\n", r.registry, name, digests[name])
	}
	return os.WriteFile(filepath.Join(r.out, "images.txt"), b.Bytes(), 0o644)
}

// image returns the index of an image for all its platforms.
func (r *release) image(programs, name string) (v1.ImageIndex, error) {
	roots, err := r.layer(authoritiesFile, authorities(), 0o644)
	if err != nil {
		return nil, err
	}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, p := range r.images {
		binary, err := os.ReadFile(program(programs, p, name))
		if err != nil {
			return nil, err
		}
		own, err := r.layer(programDir+"/"+name, binary, 0o755)
		if err != nil {
			return nil, err
		}
		image, err := mutate.AppendLayers(mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON), roots, own)
		if err != nil {
			return nil, err
		}
		if image, err = mutate.ConfigFile(image, r.config(image, p, name)); err != nil {
			return nil, err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: p.os, Architecture: p.arch}}})
	}
	return index, nil
}

// config returns the configuration of an image with the layers of another one.
func (r *release) config(image v1.Image, p platform, name string) *v1.ConfigFile {
	config, err := image.ConfigFile()
	if err != nil {
		panic(err) // it is in memory
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = p.os, p.arch, v1.Time{Time: r.date}
	for i := range config.History {
		config.History[i] = v1.History{Created: v1.Time{Time: r.date}, CreatedBy: "release"}
	}
	config.Config = v1.Config{
		User: nobody, Entrypoint: []string{"/" + programDir + "/" + name}, Env: []string{"PATH=/" + programDir}, WorkingDir: "/",
		Labels: map[string]string{
			"org.opencontainers.image.source": "https://github.com/accord-dev/accord", "org.opencontainers.image.version": r.version,
			"org.opencontainers.image.revision": r.commit, "org.opencontainers.image.licenses": "Apache-2.0",
		},
	}
	return config
}

// layer returns a layer of one file and its directories.
func (r *release) layer(name string, content []byte, mode int64) (v1.Layer, error) {
	var b bytes.Buffer
	t := tar.NewWriter(&b)
	var dirs []string
	for dir := filepath.Dir(name); dir != "."; dir = filepath.Dir(dir) {
		dirs = append(dirs, dir)
	}
	for _, dir := range slices.Backward(dirs) {
		if err := t.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: dir + "/", Mode: 0o755, ModTime: r.date}); err != nil {
			return nil, err
		}
	}
	if err := t.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: mode, Size: int64(len(content)), ModTime: r.date}); err != nil {
		return nil, err
	}
	if _, err := t.Write(content); err != nil {
		return nil, err
	}
	if err := t.Close(); err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b.Bytes())), nil }, tarball.WithMediaType(types.OCILayer))
}

// authorities returns the certificate authorities of Mozilla, in PEM, without those whose trust has conditions, which a file cannot say.
func authorities() []byte {
	var b bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			_ = pem.Encode(&b, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}) // a buffer accepts everything
		}
	}
	return b.Bytes()
}

// writeLayout writes an OCI layout with one image as a tar file.
func (r *release) writeLayout(file string, index v1.ImageIndex, reference string) error {
	dir, err := os.MkdirTemp("", "accord-image-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path, err := layout.Write(dir, empty.Index)
	if err != nil {
		return err
	}
	if err := path.AppendIndex(index, layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": reference})); err != nil {
		return err
	}
	return writeFile(file, func(w io.Writer) error { return tarDirectory(w, dir, r.date) })
}

// tarDirectory writes the files of a directory, in the order of their names.
func tarDirectory(w io.Writer, dir string, at time.Time) error {
	t := tar.NewWriter(w)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		return addToTar(t, entry{name: filepath.ToSlash(name), source: path}, at)
	})
	return errors.Join(err, t.Close())
}
