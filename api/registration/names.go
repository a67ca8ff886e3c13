package registration

import (
	"encoding/base32"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Annotations of a certificate signing request, with which the registering cluster describes itself. The hub copies them into the Cluster
// that it creates.
const (
	ClusterIDAnnotation       = "accord.dev/cluster-id"
	ClusterRegionAnnotation   = "accord.dev/cluster-region"
	ClusterProviderAnnotation = "accord.dev/cluster-provider"
	// ClusterZonesAnnotation has zones, separated by commas.
	ClusterZonesAnnotation = "accord.dev/cluster-zones"
)

const (
	// RegisteredByAnnotation, on the ClusterRoleBinding of an agent, has the UID of the request that registered the cluster.
	RegisteredByAnnotation = "accord.dev/registered-by"
	// NotApproved is the type of the condition with which the hub explains a request that it does not approve.
	NotApproved = "accord.dev/NotApproved"
)

const (
	// AgentName is the name of the agent's objects in its cluster, HubSecret that of the Secret with its kubeconfig of the hub, which has
	// the key KubeconfigKey. TokenSecret is the one with the token of an agent that registers its cluster itself, in the key TokenKey.
	AgentName     = "accord-agent"
	HubSecret     = "accord-agent-hub"
	KubeconfigKey = "kubeconfig"
	TokenSecret   = "accord-agent-token"
	TokenKey      = "token"
)

// maxClusterName is the longest name of a Cluster.
const maxClusterName = 48

// reserved are names that read like accord's own identity in an audit log.
var reserved = []string{"accord", "hub", "system"}

// CheckClusterName returns an error for a name that no cluster can register under.
func CheckClusterName(name string) error {
	switch {
	case len(validation.IsDNS1123Label(name)) > 0 || len(name) > maxClusterName:
		return fmt.Errorf("cluster name %q: expected at most %d of a-z, 0-9 and \"-\", with a letter or digit at both ends", name, maxClusterName)
	case slices.Contains(reserved, name):
		return fmt.Errorf("cluster name %q: %s are reserved; choose another name", name, strings.Join(reserved, ", "))
	}
	return nil
}

// CheckRegistrationName returns an error for a text that names no registration of a cluster.
func CheckRegistrationName(name string) error {
	if !registrationName.MatchString(name) {
		return fmt.Errorf("the name of the registration is %q, expected %s", name, registrationName)
	}
	return nil
}

// registrationName has 50 random bits: two registrations of one cluster never share a name.
var registrationName = regexp.MustCompile("^[a-z2-7]{10}$")

// NewRegistrationName returns the name of a registration.
func NewRegistrationName(random io.Reader) (string, error) {
	var bits [10]byte
	if _, err := io.ReadFull(random, bits[:]); err != nil {
		return "", fmt.Errorf("naming the registration: %w", err)
	}
	return strings.ToLower(base32.StdEncoding.EncodeToString(bits[:])[:10]), nil
}

// RoleName returns the name of the ClusterRole of the agent of a cluster, and of its binding. A colon is in no name of a Cluster.
func RoleName(cluster string) string { return "accord:agent:" + cluster }
