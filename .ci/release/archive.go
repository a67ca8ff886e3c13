package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"time"
)

// entry is a file of an archive.
type entry struct {
	name       string
	source     string // path of the content
	executable bool
}

func (e entry) mode() int64 {
	if e.executable {
		return 0o755
	}
	return 0o644
}

// archives writes, for each platform, the archive for people, with the API server of "accord up", and the one for pipelines, without. Beside
// each archive is its SPDX document.
func (r *release) archives(programs string) error {
	for _, p := range r.platforms {
		for kind, names := range map[string][]string{"accord": {"accord", "accord-apiserver"}, "accord-cli": {"accord"}} {
			base := fmt.Sprintf("%s_%s_%s_%s", kind, r.version, p.os, p.arch)
			var entries []entry
			var binaries []string
			for _, name := range names {
				file := program(programs, p, name)
				binaries = append(binaries, file)
				entries = append(entries, entry{path.Join(base, filepath.Base(file)), file, true})
			}
			for _, text := range []string{"LICENSE", "README.md"} {
				entries = append(entries, entry{path.Join(base, text), filepath.Join(r.source, text), false})
			}
			if err := r.archive(base, p, entries); err != nil {
				return fmt.Errorf("archive %s: %w", base, err)
			}
			if err := r.writeSBOM(filepath.Join(r.out, base+".spdx.json"), base, binaries); err != nil {
				return fmt.Errorf("SPDX document of %s: %w", base, err)
			}
		}
	}
	return nil
}

// archive writes a zip file for Windows, and a compressed tar file for others.
func (r *release) archive(base string, p platform, entries []entry) error {
	name, write := base+".tar.gz", writeTarGz
	if p.os == "windows" {
		name, write = base+".zip", writeZip
	}
	return writeFile(filepath.Join(r.out, name), func(w io.Writer) error { return write(w, entries, r.date) })
}

// writeFile creates a file with what write writes.
func writeFile(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

func writeTarGz(w io.Writer, entries []entry, at time.Time) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	for _, e := range entries {
		if err := addToTar(t, e, at); err != nil {
			return err
		}
	}
	return errors.Join(t.Close(), z.Close())
}

func addToTar(t *tar.Writer, e entry, at time.Time) error {
	f, err := os.Open(e.source)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := t.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: e.name, Mode: e.mode(), Size: info.Size(), ModTime: at, Format: tar.FormatPAX}); err != nil {
		return err
	}
	_, err = io.Copy(t, f)
	return err
}

func writeZip(w io.Writer, entries []entry, at time.Time) error {
	z := zip.NewWriter(w)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: at}
		h.SetMode(os.FileMode(e.mode()))
		to, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		f, err := os.Open(e.source)
		if err != nil {
			return err
		}
		_, err = io.Copy(to, f)
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return z.Close()
}
