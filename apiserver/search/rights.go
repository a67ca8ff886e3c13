package search

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/clusters/proxy"
)

const (
	// fresh is the time for which the answer of a cluster about a right is used, and outage the time for which a right that was
	// granted is used while its cluster does not answer.
	fresh  = 30 * time.Second
	outage = 5 * time.Minute
	// reviewTime bounds one question to a cluster.
	reviewTime = 5 * time.Second
	// reviewRetry is the time after which a cluster is asked again that did not answer.
	reviewRetry = 5 * time.Second
	// mostAnswers bounds the answers that are kept.
	mostAnswers = 20000
)

// rights knows what callers may read on each cluster. The cluster itself decides, in the name of the caller: a read out of memory needs the
// rights of the same read on the cluster.
type rights struct {
	mu    sync.Mutex
	known map[question]decision
}

type question struct {
	cluster, user, groups string
	attributes            authorizationv1.ResourceAttributes
}

type decision struct {
	err error // nil: allowed
	at  time.Time
	// tried is the time of the last question without an answer since.
	tried time.Time
}

// check returns nil if the caller may do on a cluster what the attributes say, a Forbidden error if not, and another error if the cluster
// does not answer.
func (s *Server) check(ctx context.Context, cluster string, c proxy.Caller, a authorizationv1.ResourceAttributes) error {
	q := question{cluster, c.User, strings.Join(c.Groups, "\x00"), a}
	s.rights.mu.Lock()
	known, found := s.rights.known[q]
	s.rights.mu.Unlock()
	if found && time.Since(known.at) < fresh {
		return known.err
	}
	granted := found && known.err == nil && time.Since(known.at) < outage
	if granted && time.Since(known.tried) < reviewRetry {
		return nil
	}
	err := s.review(ctx, cluster, c, a)
	s.rights.mu.Lock()
	defer s.rights.mu.Unlock()
	if err != nil && !apierrors.IsForbidden(err) {
		if granted {
			known.tried = time.Now()
			s.rights.known[q] = known
			return nil
		}
		return err
	}
	if s.rights.known == nil || len(s.rights.known) >= mostAnswers {
		s.rights.known = map[question]decision{}
	}
	s.rights.known[q] = decision{err: err, at: time.Now()}
	return err
}

// review asks the cluster.
func (s *Server) review(ctx context.Context, cluster string, c proxy.Caller, a authorizationv1.ResourceAttributes) error {
	ctx, cancel := context.WithTimeout(ctx, reviewTime)
	defer cancel()
	forward, err := s.Members.Of(ctx, cluster)
	if err != nil {
		return err
	}
	text, err := json.Marshal(&authorizationv1.SelfSubjectAccessReview{
		TypeMeta: metav1.TypeMeta{APIVersion: authorizationv1.SchemeGroupVersion.String(), Kind: "SelfSubjectAccessReview"},
		Spec:     authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &a},
	})
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://cluster/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", bytes.NewReader(text))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	answer, err := proxy.Transport{Forward: forward, Caller: c}.RoundTrip(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	body := http.MaxBytesReader(nil, answer.Body, 1<<20)
	if answer.StatusCode/100 != 2 {
		var status metav1.Status
		if err := json.NewDecoder(body).Decode(&status); err != nil {
			return fmt.Errorf("cluster %s answers %d", cluster, answer.StatusCode)
		}
		return &apierrors.StatusError{ErrStatus: status}
	}
	var review authorizationv1.SelfSubjectAccessReview
	if err := json.NewDecoder(body).Decode(&review); err != nil {
		return fmt.Errorf("cluster %s: reading its answer about rights: %w", cluster, err)
	}
	if review.Status.Allowed {
		return nil
	}
	return apierrors.NewForbidden(schema.GroupResource{Group: a.Group, Resource: a.Resource}, a.Name,
		fmt.Errorf("user %q cannot %s it on cluster %s", c.User, a.Verb, cluster))
}
