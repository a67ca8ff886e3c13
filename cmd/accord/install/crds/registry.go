package crds

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
)

const (
	registryScheme = "oci://"
	// manifestLimit bounds the manifest of an artifact.
	manifestLimit = 4 << 20
)

// layer returns the layer of an artifact that has the checksum. accord asks the registry without credentials.
func (s Source) layer(ctx context.Context, artifact string) ([]byte, error) {
	repository, err := remote.NewRepository(artifact)
	if err != nil {
		return nil, err
	}
	repository.Client = &auth.Client{Client: s.client(), Cache: auth.NewCache()}
	if repository.Reference.Reference == "" {
		return nil, fmt.Errorf("a tag or a digest is required: %s%s:TAG", registryScheme, artifact)
	}
	layers, err := manifest(ctx, repository)
	if err != nil {
		return nil, err
	}
	var digests []string
	for _, l := range layers {
		if l.Digest.String() == "sha256:"+s.SHA256 {
			blob, err := repository.Blobs().Fetch(ctx, l)
			if err != nil {
				return nil, err
			}
			defer blob.Close()
			return s.verified(blob)
		}
		digests = append(digests, l.Digest.String())
	}
	return nil, fmt.Errorf("no layer has the SHA-256 %s of --crds-sha256: the artifact has %s", s.SHA256, strings.Join(digests, ", "))
}

// manifest returns the layers of the artifact.
func manifest(ctx context.Context, repository *remote.Repository) ([]ocispec.Descriptor, error) {
	found, body, err := repository.Manifests().FetchReference(ctx, repository.Reference.Reference)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	if found.Size > manifestLimit {
		return nil, fmt.Errorf("its manifest has more than %d MiB", manifestLimit>>20)
	}
	text, err := content.ReadAll(body, found)
	if err != nil {
		return nil, err
	}
	var m ocispec.Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("reading its manifest: %w", err)
	}
	if len(m.Layers) == 0 {
		return nil, fmt.Errorf("its manifest of type %s has no layers", found.MediaType)
	}
	return m.Layers, nil
}
