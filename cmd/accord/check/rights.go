package check

import (
	"context"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/phrase"
)

// need is a right of the user, and the commands that need it.
type need struct{ verb, resource, commands string }

// needs are the rights of users: those that most commands need, and those of orders.
var needs = []need{
	{"list", "federations", "accord status"}, {"list", "clusters", "accord get clusters"}, {"list", "deliveries", "accord status"},
	{"list", "releases", "accord rollout history"}, {"list", "federatedobjects", "accord why"},
	{"patch", "federations", "accord reconcile"}, {"patch", "releases", "accord approve --plan"}, {"create", "clusters", "accord join"},
	{"delete", "clusters", "accord leave"},
}

// userRights reviews the rights of the current user.
func (e *examination) userRights(ctx context.Context) {
	var lacks []string
	for _, n := range needs {
		namespace := e.hub.Namespace
		if n.resource == "clusters" {
			namespace = ""
		}
		review, err := e.client.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, &authorizationv1.SelfSubjectAccessReview{
			Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &authorizationv1.ResourceAttributes{
				Namespace: namespace, Verb: n.verb, Group: v1alpha1.GroupVersion.Group, Resource: n.resource,
			}},
		}, metav1.CreateOptions{})
		if err != nil {
			e.unread("your rights", err)
			return
		}
		if !review.Status.Allowed {
			lacks = append(lacks, n.verb+" "+n.resource+" ("+n.commands+")")
		}
	}
	if len(lacks) > 0 {
		e.warn("your rights", "in namespace "+e.hub.Namespace+" you may not "+strings.Join(lacks, ", "), "ask an administrator of the hub for the rights that you need")
		return
	}
	e.ok("your rights", "you may read and change the kinds of accord in namespace %s", e.hub.Namespace)
}

// accountRights reviews the rights of the account of the controllers.
func (e *examination) accountRights(ctx context.Context, account string) {
	var lacks []string
	for _, rule := range e.wanted.Rules {
		for _, a := range attributes(rule) {
			review, err := e.client.AuthorizationV1().SubjectAccessReviews().Create(ctx, &authorizationv1.SubjectAccessReview{
				Spec: authorizationv1.SubjectAccessReviewSpec{User: account, ResourceAttributes: a},
			}, metav1.CreateOptions{})
			if err != nil {
				e.unread("rights of accord", err)
				return
			}
			if !review.Status.Allowed {
				lacks = append(lacks, a.Verb+" "+strings.TrimSuffix(a.Resource+"/"+a.Subresource, "/"))
			}
		}
	}
	if len(lacks) > 0 {
		e.fail("rights of accord", account+" may not "+phrase.List(lacks, 8), applyManifests)
		return
	}
	e.ok("rights of accord", "%s may do what this version needs", account)
}

// attributes returns the requests that a rule allows.
func attributes(rule rbacv1.PolicyRule) []*authorizationv1.ResourceAttributes {
	names := rule.ResourceNames
	if len(names) == 0 {
		names = []string{""}
	}
	var all []*authorizationv1.ResourceAttributes
	for _, group := range rule.APIGroups {
		for _, resource := range rule.Resources {
			resource, subresource, _ := strings.Cut(resource, "/")
			for _, verb := range rule.Verbs {
				for _, name := range names {
					all = append(all, &authorizationv1.ResourceAttributes{Group: group, Resource: resource, Subresource: subresource, Verb: verb, Name: name})
				}
			}
		}
	}
	return all
}
