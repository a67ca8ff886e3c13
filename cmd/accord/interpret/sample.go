package interpret

import (
	"errors"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kubejson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/render"
)

// Sample is an object to run the rules on: as it is in Git, as it is live, or both.
type Sample struct {
	id                manifest.ID
	desired, observed *unstructured.Unstructured
}

// Samples returns the objects of two files; either name may be empty. Objects of the same name in both files are one sample. A
// namespace that only one of them has is ignored.
func (k *Rules) Samples(desired, observed string) ([]Sample, error) {
	templates, err := k.objectsIn(desired)
	if err != nil {
		return nil, err
	}
	live, err := k.objectsIn(observed)
	if err != nil {
		return nil, err
	}
	var all []Sample
	for _, o := range templates {
		all = append(all, Sample{id: o.ID(), desired: o.Manifest.Get()})
	}
	for _, o := range live {
		i := 0
		for i < len(all) && !all[i].matches(o.ID()) {
			i++
		}
		if i == len(all) {
			all = append(all, Sample{id: o.ID()})
		}
		all[i].observed = o.Manifest.Get()
	}
	return all, nil
}

// matches reports whether the live object of that ID belongs to the sample.
func (s Sample) matches(id manifest.ID) bool {
	sameSpace := s.id.Namespace == id.Namespace || s.id.Namespace == "" || id.Namespace == ""
	return s.observed == nil && s.id.GroupKind() == id.GroupKind() && s.id.Name == id.Name && sameSpace
}

// objectsIn returns the objects of a file. It returns an error if a kind has no rules.
func (k *Rules) objectsIn(file string) ([]render.Object, error) {
	if file == "" {
		return nil, nil
	}
	objects, err := load.ReadManifests(file)
	for _, o := range objects {
		err = errors.Join(err, k.checkKind(o))
	}
	if err == nil && len(objects) == 0 {
		err = fmt.Errorf("%s has no object", file)
	}
	return objects, err
}

// ReadItems reads the input of AggregateStatus: a list with an entry for each cluster. It returns nil if no file is named.
func ReadItems(file string) ([]map[string]any, error) {
	if file == "" {
		return nil, nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading the items: %w", err)
	}
	encoded, err := yaml.YAMLToJSON(data)
	if err != nil {
		return nil, fmt.Errorf("reading the items of %s: %w", file, err)
	}
	var entries []any
	if err := kubejson.Unmarshal(encoded, &entries); err != nil { // with whole numbers as such
		return nil, fmt.Errorf("reading the items of %s: expected a list with an entry for each cluster: %w", file, err)
	}
	items := make([]map[string]any, len(entries))
	for i, e := range entries {
		item, ok := e.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("%s: entry %d is not an object", file, i+1)
		}
		if err := checkItem(item); err != nil {
			return nil, fmt.Errorf("%s: entry %d: %w", file, i+1, err)
		}
		items[i] = item
	}
	return items, nil
}

// checkItem returns an error for fields that a status item does not have (Karmada's AggregatedStatusItem, and current).
func checkItem(item map[string]any) error {
	fields := []string{"clusterName", "status", "current", "applied", "appliedMessage", "health"}
	known := map[string]bool{}
	for _, f := range fields {
		known[f] = true
	}
	for field := range item {
		if !known[field] {
			return fmt.Errorf("unknown field %q%s", field, manifest.DidYouMean(field, fields))
		}
	}
	if name, _ := item["clusterName"].(string); name == "" {
		return errors.New("clusterName is required")
	}
	return nil
}
