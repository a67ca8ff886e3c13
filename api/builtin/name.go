package builtin

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
)

// nameRules are the rules of the kinds whose names need not be DNS-1123 subdomains: another rule, or nil for every segment
// of a path. It is only read.
var nameRules = map[schema.GroupKind]*manifest.NameRule{
	{Kind: "Namespace"}:                  &manifest.DNSLabel,
	{Kind: "Service"}:                    &manifest.DNSLabel,
	{Group: "apps", Kind: "StatefulSet"}: &manifest.DNSLabel,
	{Group: "batch", Kind: "CronJob"}:    &cronJobName,

	{Group: "rbac.authorization.k8s.io", Kind: "Role"}:                nil,
	{Group: "rbac.authorization.k8s.io", Kind: "RoleBinding"}:         nil,
	{Group: "rbac.authorization.k8s.io", Kind: "ClusterRole"}:         nil,
	{Group: "rbac.authorization.k8s.io", Kind: "ClusterRoleBinding"}:  nil,
	{Group: "certificates.k8s.io", Kind: "CertificateSigningRequest"}: nil,
	{Group: "certificates.k8s.io", Kind: "ClusterTrustBundle"}:        nil,
	{Group: "networking.k8s.io", Kind: "IPAddress"}:                   nil,

	// DecodeCluster has the rule, which is stricter.
	{Group: "accord.dev", Kind: "Cluster"}:         nil,
	{Group: "cluster.karmada.io", Kind: "Cluster"}: nil,
}

// freeGroups have aggregated API servers, whose names contain those of identity providers. It is only read.
var freeGroups = map[string]bool{"authorization.openshift.io": true, "user.openshift.io": true}

// cronJobName leaves room for the 11 characters that the controller adds to the names of Jobs.
var cronJobName = manifest.DNSSubdomain.AtMost(52)

// name checks the name of an object by the rule of its kind.
func (c *checking) name(u *unstructured.Unstructured) {
	kind := u.GroupVersionKind().GroupKind()
	rule, special := nameRules[kind]
	if !special && !freeGroups[kind.Group] {
		rule = &manifest.DNSSubdomain
	}
	if rule == nil || u.GetName() == "" {
		return
	}
	if wrong := manifest.InvalidName(u.GetName(), *rule); wrong != "" {
		c.path = []string{"metadata", "name"}
		c.add(fmt.Sprintf("metadata.name %.100q is not a valid name for kind %s: %s", u.GetName(), kind.Kind, wrong))
	}
}
