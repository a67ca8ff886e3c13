package apply

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

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

// explain returns an error of the authorizer about the account of a Tenant as a *deniedError, and any other error as it is. place is
// " on cluster eu-1", or empty where the caller names the cluster.
func explain(a tenancy.Account, place string, err error) error {
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
	case strings.HasPrefix(verb, "impersonate"): // Kubernetes 1.36 and later: impersonate-on:serviceaccount:get
		return &deniedError{ours: true, err: err, message: fmt.Sprintf(
			"Tenant %s: accord (%s) may not impersonate its ServiceAccount %s/%s%s; \"accord join --impersonate %s/%s\" allows it",
			a.Tenant, user, a.Namespace, a.Name, place, a.Namespace, a.Name)}
	case user != a.User():
		return err
	}
	object := resource
	if details := status.Status().Details; details != nil && details.Name != "" {
		object = fmt.Sprintf("%s %q", resource, details.Name)
	}
	role := "ClusterRole"
	if namespace != "" {
		object, role = object+" in namespace "+namespace, "Role of that namespace"
	}
	return &deniedError{err: err, message: fmt.Sprintf(
		"Tenant %s: its ServiceAccount %s/%s may not %s %s%s; to allow it, bind the ServiceAccount to a %s with the verb %s",
		a.Tenant, a.Namespace, a.Name, verb, object, place, role, verb)}
}
