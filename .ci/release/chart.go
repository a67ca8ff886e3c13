package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// charts writes the packages of the charts, each with the image of this release by its digest. That of accord has the
// CustomResourceDefinitions and the admission policies, too.
func (r *release) charts(definitions []byte, digests map[string]v1.Hash) error {
	for name, from := range map[string][][2]string{
		"accord":       {{"api/admission/*.yaml", "templates"}},
		"accord-agent": nil,
	} {
		files, err := r.chartFiles(name, r.imageName(name, digests), from)
		if err != nil {
			return fmt.Errorf("chart %s: %w", name, err)
		}
		if name == "accord" {
			files = append(files, chartFile{"crds/crds.yaml", definitions})
		}
		if err := r.chart(name, files); err != nil {
			return fmt.Errorf("chart %s: %w", name, err)
		}
	}
	return nil
}

// chart writes the package of a chart.
func (r *release) chart(name string, files []chartFile) error {
	return writeFile(filepath.Join(r.out, name+"-"+strings.TrimPrefix(r.version, "v")+".tgz"), func(w io.Writer) error {
		z := gzip.NewWriter(w)
		t := tar.NewWriter(z)
		for _, f := range files {
			if err := t.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name + "/" + f.name, Mode: 0o644, Size: int64(len(f.text)), ModTime: r.date, Format: tar.FormatPAX}); err != nil {
				return err
			}
			if _, err := t.Write(f.text); err != nil {
				return err
			}
		}
		return errors.Join(t.Close(), z.Close())
	})
}

// chartFile is a file of a chart.
type chartFile struct {
	name string
	text []byte
}

// chartFiles returns the files of a chart, and those of other folders that belong to it. Chart.yaml is the first one, as Helm expects.
func (r *release) chartFiles(chart, image string, others [][2]string) ([]chartFile, error) {
	var files []chartFile
	add := func(pattern, dir string) error {
		paths, err := filepath.Glob(filepath.Join(r.source, pattern))
		if err != nil || len(paths) == 0 {
			return errors.Join(err, fmt.Errorf("no file is like %s", pattern))
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			files = append(files, chartFile{filepath.ToSlash(filepath.Join(dir, filepath.Base(path))), text})
		}
		return nil
	}
	dir := "charts/" + chart + "/"
	for _, from := range append([][2]string{{dir + "Chart.yaml", ""}, {dir + "values*", ""}, {dir + "templates/*.yaml", "templates"}}, others...) {
		if err := add(from[0], from[1]); err != nil {
			return nil, err
		}
	}
	version := strings.TrimPrefix(r.version, "v")
	for file, lines := range map[string][][2]string{
		"Chart.yaml":  {{"version: 0.0.0\n", "version: " + version + "\n"}, {"appVersion: devel\n", "appVersion: " + r.version + "\n"}},
		"values.yaml": {{"image: ghcr.io/accord-dev/" + chart + ":devel\n", "image: " + image + "\n"}},
	} {
		i := slices.IndexFunc(files, func(f chartFile) bool { return f.name == file })
		for _, line := range lines {
			if bytes.Count(files[i].text, []byte(line[0])) != 1 {
				return nil, fmt.Errorf("%s does not have the line %q once", file, line[0])
			}
			files[i].text = bytes.Replace(files[i].text, []byte(line[0]), []byte(line[1]), 1)
		}
	}
	return files, nil
}
