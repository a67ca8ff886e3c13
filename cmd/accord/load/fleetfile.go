package load

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// fleetFileHint is the command that writes the file.
const fleetFileHint = `"accord get clusters,objects -o yaml" writes one`

// ReadFleetFile reads the output of "accord get clusters,objects -o yaml". It ignores objects of other federations. Deliveries
// and Releases are optional.
func ReadFleetFile(file string, fed *v1alpha1.Federation) (*HubSnapshot, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading the facts: %w", err)
	}
	read := &fleetFile{federation: fed}
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), 4096)
	for {
		var document json.RawMessage
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = read.add(document)
		}
		if err != nil {
			return nil, fmt.Errorf("reading the facts of %s: %w", file, err)
		}
	}
	if len(read.Clusters) == 0 {
		return nil, fmt.Errorf("%s has no clusters: %s", file, fleetFileHint)
	}
	return &read.HubSnapshot, nil
}

// fleetFile collects the objects of the documents.
type fleetFile struct {
	HubSnapshot
	federation *v1alpha1.Federation
}

// add reads an object, or a list of objects.
func (f *fleetFile) add(document json.RawMessage) error {
	if len(document) == 0 || string(document) == "null" {
		return nil
	}
	var head struct {
		APIVersion string
		Kind       string
		Items      []json.RawMessage
	}
	if err := json.Unmarshal(document, &head); err != nil {
		return fmt.Errorf("not a Kubernetes object: %w", err)
	}
	for _, item := range head.Items {
		if err := f.add(item); err != nil {
			return err
		}
	}
	if head.Items != nil || head.APIVersion != v1alpha1.GroupVersion.String() {
		return nil
	}
	switch head.Kind {
	case "Cluster":
		return appendObject(&f.Clusters, document, func(*v1alpha1.Cluster) bool { return true })
	case "Tenant":
		return appendObject(&f.Tenants, document, func(*v1alpha1.Tenant) bool { return true })
	case "FederatedObject":
		return appendObject(&f.objects, document, func(o *v1alpha1.FederatedObject) bool { return f.ofFederation(o.Namespace, o.Spec.Federation) })
	case "Delivery":
		return appendObject(&f.Deliveries, document, func(d *v1alpha1.Delivery) bool { return f.ofFederation(d.Namespace, d.Spec.Federation) })
	case "Release":
		return appendObject(&f.Releases, document, func(r *v1alpha1.Release) bool { return f.ofFederation(r.Namespace, r.Spec.Federation) })
	}
	return nil
}

func (f *fleetFile) ofFederation(namespace, federation string) bool {
	return namespace == f.federation.Namespace && federation == f.federation.Name
}

// appendObject decodes an object and appends it to the list if it is wanted.
func appendObject[T any](list *[]T, document json.RawMessage, wanted func(*T) bool) error {
	var object T
	if err := json.Unmarshal(document, &object); err != nil {
		return fmt.Errorf("reading a %T: %w", object, err)
	}
	if wanted(&object) {
		*list = append(*list, object)
	}
	return nil
}
