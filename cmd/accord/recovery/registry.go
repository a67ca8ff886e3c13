package recovery

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/distribution/reference"
	"golang.org/x/sync/errgroup"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"

	"github.com/accord-dev/accord/internal/phrase"
)

const (
	// registryRequests is the number of images that are asked for at once, registryTimeout the time for each.
	registryRequests = 4
	registryTimeout  = 5 * time.Second
)

// registries asks registries for the manifests of images, without credentials and without a download.
type registries struct{ client *auth.Client }

// newRegistries returns registries at the addresses to which transport connects: the objects of production name the servers.
func newRegistries(transport http.RoundTripper) registries {
	return registries{&auth.Client{Client: &http.Client{Transport: transport, Timeout: registryTimeout}, Cache: auth.NewCache()}}
}

// has reports whether the registry of an image has its manifest. The error is the reason why that is unknown.
func (r registries) has(ctx context.Context, image string) (bool, error) {
	named, err := reference.ParseNormalizedNamed(image)
	if err != nil {
		return false, err
	}
	repository, err := remote.NewRepository(named.Name())
	if err != nil {
		return false, err
	}
	repository.Client = r.client
	version := "latest"
	switch x := named.(type) {
	case reference.Digested:
		version = x.Digest().String()
	case reference.Tagged:
		version = x.Tag()
	}
	_, err = repository.Resolve(ctx, version)
	if errors.Is(err, errdef.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// missing returns the images that their registries do not have, and those of which that is unknown with the reason, both sorted.
func (r registries) missing(ctx context.Context, images []string) (gone, unknown []string) {
	var mu sync.Mutex
	var asking errgroup.Group
	asking.SetLimit(registryRequests)
	for _, image := range images {
		asking.Go(func() error {
			there, err := r.has(ctx, image)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err != nil:
				unknown = append(unknown, image+" ("+phrase.Line(err.Error())+")")
			case !there:
				gone = append(gone, image)
			}
			return nil
		})
	}
	_ = asking.Wait() // no call fails
	slices.Sort(gone)
	slices.Sort(unknown)
	return gone, unknown
}
