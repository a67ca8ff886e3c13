package memberserver

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/api/validation/path"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// named returns an error for a name that an object of the kind cannot have.
func named(r resource, name string) error {
	at := field.NewPath("metadata", "name")
	if name == "" {
		return apierrors.NewInvalid(r.kind.GroupKind(), name, field.ErrorList{field.Required(at, "name or generateName is required")})
	}
	rule := validation.NameIsDNSSubdomain
	switch {
	case r.Group == "" && r.Resource == "namespaces":
		rule = validation.ValidateNamespaceName
	case r.Group == "" && r.Resource == "services":
		rule = validation.NameIsDNS1035Label
	case r.Group == "rbac.authorization.k8s.io":
		rule = path.ValidatePathSegmentName
	}
	var errs field.ErrorList
	for _, why := range rule(name, false) {
		errs = append(errs, field.Invalid(at, name, why))
	}
	if len(errs) > 0 {
		return apierrors.NewInvalid(r.kind.GroupKind(), name, errs)
	}
	return nil
}
