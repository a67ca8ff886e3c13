// Release builds everything that a release consists of, for "make release VERSION=v0.1.0": archives of the programs for each platform,
// SPDX documents, images as an OCI layout, manifests and checksums. It needs no network but for modules that are not in the module cache,
// and no container daemon. Two runs for one commit write the same bytes: times come from the commit, and paths do not get into programs.
//
// It is a program of .ci/tools.mod, so that its libraries are none of the product's.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release is one release and how it is built.
type release struct {
	version string
	commit  string
	date    time.Time // of the commit
	source  string    // directory of the repository
	out     string
	// platforms are the systems of the archives, images those of the images.
	platforms, images []platform
	// registry is where the images are published, such as ghcr.io/accord-dev.
	registry string
}

// platform is a system and an architecture, linux/amd64.
type platform struct{ os, arch string }

func (p platform) String() string { return p.os + "/" + p.arch }

// everywhere are the platforms of a release.
const everywhere = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64"

func run(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("release", flag.ContinueOnError)
	version := f.String("version", "", "version of the release, such as v0.1.0")
	source := f.String("source", ".", "directory of the repository")
	out := f.String("out", "dist", "directory of the release, which must be empty or absent")
	platforms := f.String("platforms", everywhere, "comma-separated platforms")
	registry := f.String("registry", "ghcr.io/accord-dev", "where the images are published")
	if err := f.Parse(args); err != nil {
		return err
	}
	r := &release{version: *version, source: *source, out: *out, registry: *registry}
	if err := r.parsePlatforms(*platforms); err != nil {
		return err
	}
	if err := r.check(ctx); err != nil {
		return err
	}
	return r.build(ctx)
}

func (r *release) parsePlatforms(list string) error {
	for name := range strings.SplitSeq(list, ",") {
		system, arch, ok := strings.Cut(name, "/")
		if !ok {
			return fmt.Errorf("platform %q: expected SYSTEM/ARCHITECTURE", name)
		}
		p := platform{system, arch}
		r.platforms = append(r.platforms, p)
		if system == "linux" {
			r.images = append(r.images, p)
		}
	}
	if len(r.images) == 0 {
		return errors.New("--platforms needs one of linux, for the images")
	}
	return nil
}

// build writes all parts, the checksums last.
func (r *release) build(ctx context.Context) error {
	programs := filepath.Join(r.out, ".programs")
	if err := r.compile(ctx, programs); err != nil {
		return err
	}
	if err := r.archives(programs); err != nil {
		return err
	}
	digests, err := r.writeImages(programs)
	if err != nil {
		return err
	}
	if err := r.listImages(digests); err != nil {
		return err
	}
	definitions, err := r.manifests(ctx, programs, r.imageName("accord", digests))
	if err != nil {
		return err
	}
	if err := r.charts(definitions, digests); err != nil {
		return err
	}
	if err := os.RemoveAll(programs); err != nil {
		return err
	}
	return writeChecksums(r.out)
}
