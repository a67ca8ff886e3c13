package apply

import (
	"errors"
	"fmt"
	"regexp"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/accord-dev/accord/propagate/tenancy"
)

// A delivery reads and writes the objects of the Federation with the account of its Tenant, and the API server of the member decides.
// With accord's own account it reads and writes the parent of the ApplySet, and lists the objects with the label of the Federation.

// deniedError is the error of a request that the API server denied to the account of a Tenant.
type deniedError struct {
	message string
	err     error
	// ours is set if accord lacks the right to impersonate the account: every other request would fail in the same way.
	ours bool
}

func (e *deniedError) Error() string { return e.message }

func (e *deniedError) Unwrap() error { return e.err }

// isDenied reports whether the authorizer of the member denied a request to the account of a Tenant.
func isDenied(err error) bool {
	_, denied := errors.AsType[*deniedError](err)
	return denied
}

// cannotImpersonate reports whether accord lacks the right to impersonate the account of a Tenant.
func cannotImpersonate(err error) bool {
	e, denied := errors.AsType[*deniedError](err)
	return denied && e.ours
}

// denial matches the message of the authorizer: user, verb, resource, API group and namespace.
var denial = regexp.MustCompile(`User "([^"]*)" cannot (\S+) resource "([^"]*)" in API group "([^"]*)"(?: in the namespace "([^"]*)")?`)

// explain returns an error of the authorizer about the account of a Tenant as a *deniedError, and any other error as it is.
func explain(a tenancy.Account, cluster string, err error) error {
	var status apierrors.APIStatus
	if a.User() == "" || !apierrors.IsForbidden(err) || !errors.As(err, &status) {
		return err
	}
	m := denial.FindStringSubmatch(status.Status().Message)
	if m == nil {
		return err
	}
	user, verb, resource, namespace := m[1], m[2], m[3], m[5]
	if m[4] != "" {
		resource += "." + m[4]
	}
	switch {
	case verb == "impersonate":
		return &deniedError{ours: true, err: err, message: fmt.Sprintf(
			"Tenant %s requires the account %s, and accord (%s) may not impersonate it on cluster %s; to allow it, "+
				"bind a Role in namespace %s with the verb impersonate on serviceaccounts, resourceNames [%s], to accord",
			a.Tenant, a.User(), user, cluster, a.Namespace, a.Name)}
	case user != a.User():
		return err
	}
	object := resource
	if details := status.Status().Details; details != nil && details.Name != "" {
		object = fmt.Sprintf("%s %q", resource, details.Name)
	}
	role := "ClusterRole"
	if namespace != "" {
		object, role = object+" in namespace "+namespace, "Role in namespace "+namespace
	}
	return &deniedError{err: err, message: fmt.Sprintf(
		"Tenant %s: its account %s may not %s %s on cluster %s; to allow it, bind a %s with the verb %s on %s to the ServiceAccount %s of namespace %s there",
		a.Tenant, a.User(), verb, object, cluster, role, verb, resource, a.Name, a.Namespace)}
}
