package proxy

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	authorizationclient "k8s.io/client-go/kubernetes/typed/authorization/v1"
)

const (
	// rightTTL is the time for which the answer of a cluster about a right is used. The cluster decides about each request again.
	rightTTL = 30 * time.Second
	// maxRights bounds the answers that are kept.
	maxRights = 1000
	// internalPrefix begins the names of Kubernetes itself.
	internalPrefix = "system:"
)

// rights knows for whom the account of accord may act on a cluster. The RBAC of the cluster says so.
type rights struct {
	reviews authorizationclient.SelfSubjectAccessReviewInterface

	mu    sync.Mutex
	known map[question]answer
}

type question struct{ resource, name string }

type answer struct {
	allowed bool
	until   time.Time
}

// confine returns the caller with the groups that the account of accord may take on. A name that begins with "system:" stands for another
// identity on each cluster, so that neither such users nor such groups are taken on, even if the account may.
func (r *rights) confine(ctx context.Context, cluster string, c Caller) (Caller, error) {
	if c.User == "" || strings.HasPrefix(c.User, internalPrefix) {
		return Caller{}, forbidden(cluster, fmt.Sprintf("user %q is an identity of the hub only, as every name that begins with %q: use a personal identity", c.User, internalPrefix))
	}
	allowed, err := r.may(ctx, cluster, question{"users", c.User})
	if err != nil {
		return Caller{}, err
	}
	if !allowed {
		return Caller{}, forbidden(cluster, fmt.Sprintf("the account of accord there may not act for user %q: grant it the verb impersonate for this user, as --impersonate-user of \"accord register\" and \"accord join\" does", c.User))
	}
	confined := Caller{User: c.User}
	for _, group := range c.Groups {
		if strings.HasPrefix(group, internalPrefix) {
			continue
		}
		allowed, err := r.may(ctx, cluster, question{"groups", group})
		if err != nil {
			return Caller{}, err
		}
		if allowed {
			confined.Groups = append(confined.Groups, group)
		}
	}
	return confined, nil
}

// may reports whether the account of accord may take on a user or a group.
func (r *rights) may(ctx context.Context, cluster string, q question) (bool, error) {
	now := time.Now()
	r.mu.Lock()
	known, found := r.known[q]
	r.mu.Unlock()
	if found && now.Before(known.until) {
		return known.allowed, nil
	}
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "impersonate", Resource: q.resource, Name: q.name},
	}}
	review, err := r.reviews.Create(ctx, review, metav1.CreateOptions{})
	switch {
	case apierrors.IsUnauthorized(err): // a 401 would tell the caller about the caller's own credentials
		return false, unanswered(cluster, errors.New("it refuses the credentials of accord"))
	case err != nil:
		return false, unanswered(cluster, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.known) >= maxRights {
		clear(r.known)
	}
	r.known[q] = answer{review.Status.Allowed, now.Add(rightTTL)}
	return review.Status.Allowed, nil
}

func forbidden(cluster, reason string) error {
	return apierrors.NewForbidden(schema.GroupResource{Resource: "clusters"}, cluster, errors.New(reason))
}
