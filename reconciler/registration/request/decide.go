package request

import (
	"fmt"
	"slices"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/delivery"
	"github.com/accord-dev/accord/api/registration"
	"github.com/accord-dev/accord/api/v1alpha1"
)

// Reasons of a Verdict.
const (
	// Approved and Renewed: a cluster registers, or the agent of a registered one renews its certificate.
	Approved = "Approved"
	Renewed  = "Renewed"
	// InvalidRequest: the request has not exactly the form of the request of an agent.
	InvalidRequest = "InvalidRequest"
	// UnknownRequester: neither the holder of a token of accord nor an agent sent the request.
	UnknownRequester = "UnknownRequester"
	// RequestTooOld: the requester has given up, and with it the key.
	RequestTooOld = "RequestTooOld"
	// TokenUnknown: the token is deleted, or accord may not read its Secret.
	TokenUnknown = "TokenUnknown"
	TokenExpired = "TokenExpired"
	TokenUsedUp  = "TokenUsedUp"
	// NameNotPermitted: the token does not permit the name of the cluster.
	NameNotPermitted = "NameNotPermitted"
	// NameTaken: another cluster has the name.
	NameTaken = "NameTaken"
	// DuplicateCluster: the cluster is a member under another name.
	DuplicateCluster = "DuplicateCluster"
	// AnotherAgent: an agent requests a certificate for another cluster than its own.
	AnotherAgent = "AnotherAgent"
	// AgentRevoked: the cluster is not registered any more.
	AgentRevoked = "AgentRevoked"
)

// Patience is the age at which a request stays pending for ever: its requester waits no longer. An approval would use up the token, and
// take the name, for a key that nobody has.
const Patience = 5 * time.Minute

// Permanent reports whether another decision about the same request cannot differ.
func Permanent(reason string) bool {
	return slices.Contains([]string{InvalidRequest, UnknownRequester, RequestTooOld, TokenExpired, TokenUsedUp, NameNotPermitted, AnotherAgent}, reason)
}

// Input of a decision about one request.
type Input struct {
	UID     types.UID
	Created time.Time
	Request certificatesv1.CertificateSigningRequestSpec
	// Traits are those of the cluster that registers.
	Traits Traits
	// Token of the requester; nil if the requester is no token or its Secret cannot be read.
	Token *registration.Token
	// Cluster that has the requested name; nil if there is none.
	Cluster *v1alpha1.Cluster
	// RegisteredBy is the UID of the request that registered the agent of the cluster; empty if the cluster has no agent.
	RegisteredBy types.UID
	// Agent is the user that the rights of the agent are for; empty if the cluster has no agent.
	Agent string
	// SameID is the name of another Cluster with the spec.id that the request names; empty if there is none.
	SameID string
	Now    time.Time
}

// Verdict about a request. A request that is not approved stays pending.
type Verdict struct {
	Approve bool
	// Cluster that the request is for, empty if the request is invalid, and the User of an approved one.
	Cluster, User string
	// Reason and Message explain the verdict.
	Reason, Message string
}

// Decide returns the verdict about a request.
func Decide(in Input) Verdict {
	form, err := Parse(&in.Request)
	cluster := form.Cluster
	if err != nil {
		return Verdict{Reason: InvalidRequest, Message: "the request is not that of an agent: " + err.Error()}
	}
	if err := in.Traits.check(); err != nil {
		return Verdict{Cluster: cluster, Reason: InvalidRequest, Message: err.Error()}
	}
	user := in.Request.Username
	pending := func(reason, format string, args ...any) Verdict {
		return Verdict{Cluster: cluster, Reason: reason, Message: fmt.Sprintf(format, args...)}
	}
	switch {
	case registration.TokenID(user) != "" && slices.Contains(in.Request.Groups, registration.BootstrapGroup):
		return first(in, form, pending)
	case !slices.Contains(in.Request.Groups, delivery.AgentsGroup):
		return pending(UnknownRequester, "%q is neither the holder of a token of \"accord token create\" nor an agent", user)
	case user != form.User:
		return pending(AnotherAgent, "%q may renew its own certificate only", user)
	case in.Cluster == nil || in.Cluster.DeletionTimestamp != nil || in.Cluster.Spec.SyncMode != v1alpha1.SyncModePull || in.RegisteredBy == "" || in.Agent != user:
		return pending(AgentRevoked, "cluster %s is not registered any more; register it again with a token", cluster)
	}
	return Verdict{Approve: true, Cluster: cluster, User: user, Reason: Renewed, Message: "the agent of cluster " + cluster + " renews its certificate"}
}

// first decides about the first certificate of an agent. A request that was counted as a use of its token and not yet approved, because
// accord stopped meanwhile, is decided as before.
func first(in Input, form Form, pending func(reason, format string, args ...any) Verdict) Verdict {
	t, c, cluster := in.Token, in.Cluster, form.Cluster
	if t == nil || t.User() != in.Request.Username {
		return pending(TokenUnknown, "accord cannot read the Secret of the token %s; create another token with \"accord token create\"", registration.TokenID(in.Request.Username))
	}
	counted, registered := slices.Contains(t.UsedBy, in.UID), in.RegisteredBy == in.UID
	switch {
	case in.Now.Sub(in.Created) > Patience && !counted:
		return pending(RequestTooOld, "the request is older than %s; run \"accord register\" again", Patience)
	case t.Expired(in.Now) && !counted:
		return pending(TokenExpired, "the token %s expired at %s; create another one with \"accord token create\"", t.ID, t.Expires.UTC().Format(time.RFC3339))
	case !t.Permits(cluster):
		return pending(NameNotPermitted, "the token %s permits the cluster %q, not %q; choose the name with --cluster-name, or create a token with --cluster %s", t.ID, t.Clusters, cluster, cluster)
	case t.Left() == 0 && !counted:
		return pending(TokenUsedUp, "the token %s is used up: it registered as many clusters as it may (%d); create another one with \"accord token create\"", t.ID, t.Uses)
	case registered:
	case c != nil && c.DeletionTimestamp != nil:
		return pending(NameTaken, "Cluster %s is being deleted; register when it is gone", cluster)
	case c != nil && c.Spec.SyncMode != v1alpha1.SyncModePull:
		return pending(NameTaken, "Cluster %s is in push mode; choose another name with --cluster-name, or remove it with \"accord leave %s\"", cluster, cluster)
	case c != nil && in.RegisteredBy != "":
		return pending(NameTaken, "Cluster %s has an agent; choose another name with --cluster-name, or remove it with \"accord unregister %s\"", cluster, cluster)
	case in.SameID != "":
		return pending(DuplicateCluster, "the cluster is a member already, as Cluster %s; remove that one first", in.SameID)
	}
	return Verdict{Approve: true, Cluster: cluster, User: form.User, Reason: Approved, Message: fmt.Sprintf("the token %s registers the cluster %s", t.ID, cluster)}
}
