package load

import (
	"cmp"
	"errors"
	"fmt"

	"k8s.io/utils/ptr"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/exclude"
	"github.com/accord-dev/accord/render"
	"github.com/accord-dev/accord/status/interpret"
)

// readFederation reads the one Federation manifest of a file, which may have other manifests.
func readFederation(file string) (*v1alpha1.Federation, error) {
	fed, _, err := readFederationObject(file)
	return fed, err
}

// readFederationObject returns the one Federation of a file, and its manifest.
func readFederationObject(file string) (*v1alpha1.Federation, render.Object, error) {
	objects, err := ReadManifests(file)
	if err != nil {
		return nil, render.Object{}, err
	}
	return SelectFederation(file, objects)
}

// SelectFederation returns the one Federation among the manifests of a file, and its manifest.
func SelectFederation(file string, objects []render.Object) (*v1alpha1.Federation, render.Object, error) {
	var found []render.Object
	for _, o := range objects {
		if v1alpha1.IsFederation(o.ID()) {
			found = append(found, o)
		}
	}
	if len(found) != 1 {
		return nil, render.Object{}, fmt.Errorf("%s has %s, expected one", file, phrase.Count(len(found), "Federation"))
	}
	fed := &v1alpha1.Federation{}
	doc := manifest.Decode(found[0].Manifest.Get(), found[0].Text, found[0].Origin, fed)
	checkSkipped(doc, fed)
	if err := doc.Err(); err != nil {
		return nil, render.Object{}, err
	}
	fed, err := withDefaults(fed)
	return fed, found[0], err
}

// checkSkipped records the exclusions of a Federation that cannot be parsed.
func checkSkipped(doc *manifest.Doc, fed *v1alpha1.Federation) {
	_, err := exclude.Skip{Namespaces: fed.Spec.SkippedNamespaces, APIs: fed.Spec.SkippedAPIs}.Rules()
	joined, _ := err.(interface{ Unwrap() []error })
	if joined == nil {
		return
	}
	for _, e := range joined.Unwrap() {
		if setting, is := errors.AsType[*exclude.SettingError](e); is {
			doc.Errorf("spec."+setting.Field, "spec.%v", setting)
		}
	}
}

// ReadHealth returns the healthCheckExprs of the Federation in a file, with their lines.
func ReadHealth(file string) ([]interpret.HealthExprs, error) {
	fed, written, err := readFederationObject(file)
	if err != nil {
		return nil, err
	}
	return HealthOf(fed, written), nil
}

// HealthOf returns the healthCheckExprs of a Federation, with their lines in the manifest.
func HealthOf(fed *v1alpha1.Federation, written render.Object) []interpret.HealthExprs {
	health := propagate.Input{}.WithFederation(fed).Health
	lines := manifest.LinesOf(written.Text, written.Origin.Line)
	for i := range health {
		health[i].At = lines.At(written.Origin, fmt.Sprintf("spec.healthCheckExprs[%d]", i))
	}
	return health
}

// withDefaults sets the defaults of the CustomResourceDefinition, and returns an error if a field that is needed here is
// missing.
func withDefaults(fed *v1alpha1.Federation) (*v1alpha1.Federation, error) {
	switch {
	case fed.Name == "":
		return nil, errors.New("the Federation has no metadata.name")
	case len(fed.Spec.Sources) == 0:
		return nil, fmt.Errorf("federation %s has no spec.sources", fed.Name)
	}
	fed.Namespace = cmp.Or(fed.Namespace, "default")
	if fed.Spec.PruneLimits.MaxPercent == nil {
		fed.Spec.PruneLimits.MaxPercent = ptr.To[int32](50) // as the CustomResourceDefinition has it
	}
	return fed, nil
}
