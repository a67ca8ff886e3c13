package kind

import (
	"github.com/accord-dev/accord/status/kind/internal/read"
)

// roleBinding is RoleBinding and ClusterRoleBinding. The role is immutable, so that a person who may change the
// subjects cannot change the permissions.
var roleBinding = Kind{
	Health:    genericHealth,
	Immutable: read.Fixed{"roleRef.apiGroup": "rbac.authorization.k8s.io", "roleRef.kind": nil, "roleRef.name": nil}.Changed,
}
