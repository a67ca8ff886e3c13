package crds

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// unpack returns the definitions of a YAML file, or of an archive of them.
func unpack(text []byte) (all []*apiextensionsv1.CustomResourceDefinition, err error) {
	files := [][]byte{text}
	if bytes.HasPrefix(text, []byte{0x1f, 0x8b}) { // gzip
		if files, err = untar(text); err != nil {
			return nil, fmt.Errorf("reading the archive: %w", err)
		}
	}
	for _, file := range files {
		found, err := definitions(file)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	if len(all) == 0 {
		return nil, errors.New("it has no CustomResourceDefinition")
	}
	return all, nil
}

// untar returns the YAML files of an archive. Nothing is written to a disk, and an archive that would write outside of its directory is
// refused, because its author meant harm.
func untar(text []byte) (files [][]byte, err error) {
	z, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	archive, left := tar.NewReader(z), int64(limit)
	for {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		if !filepath.IsLocal(h.Name) || path.IsAbs(h.Name) || strings.Contains(h.Name, `\`) {
			return nil, fmt.Errorf("refused the name %q, which leads out of the archive", h.Name)
		}
		if h.Typeflag == tar.TypeDir {
			continue
		}
		if h.Typeflag != tar.TypeReg {
			return nil, fmt.Errorf("refused %q: it is neither a file nor a directory", h.Name)
		}
		file, err := readLimited(archive, left)
		if err != nil {
			return nil, err
		}
		left -= int64(len(file))
		if ext := path.Ext(h.Name); ext == ".yaml" || ext == ".yml" {
			files = append(files, file)
		}
	}
}

// definitions returns those of a YAML file. It refuses every other object, because a person applies all of them with an administrator's rights.
func definitions(file []byte) (all []*apiextensionsv1.CustomResourceDefinition, err error) {
	for documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(file))); ; {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.Unmarshal(document, crd); err != nil {
			return nil, fmt.Errorf("reading a definition: %w", err)
		}
		switch {
		case crd.TypeMeta == (metav1.TypeMeta{}) && crd.Name == "": // an empty document
		case crd.GroupVersionKind() != apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"), crd.Spec.Group != v1alpha1.GroupVersion.Group:
			return nil, fmt.Errorf("refused %s %q: it has only CustomResourceDefinitions of %s", crd.Kind, crd.Name, v1alpha1.GroupVersion.Group)
		default:
			all = append(all, crd)
		}
	}
}
