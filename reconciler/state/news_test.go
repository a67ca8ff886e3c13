package state

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/state/inputkey"
	"github.com/accord-dev/accord/reconciler/state/reachability"
	"github.com/accord-dev/accord/reconciler/store/fingerprint"
)

func TestNewsOfAFederation(t *testing.T) {
	f := New(&v1alpha1.Federation{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "shop"}}, NewRegistry(reachability.NewTracker()), fingerprint.New(nil, true))
	var said []string
	emit := func(c changes.Changes) {
		for _, e := range c.Events {
			said = append(said, fmt.Sprintf("%s %s %s: %s", e.About.GetName(), e.Type, e.Reason, e.Message))
		}
	}
	fails := func(err error) { emit(f.SourceUnavailable(err)); emit(f.Reconciled(midday)) }

	fails(errors.New("dial tcp: timeout"))
	require.Empty(t, said, "once is a hiccup")
	fails(errors.New("dial tcp: another port: timeout"))
	fails(errors.New("dial tcp: a third port: timeout"))
	require.Len(t, said, 1)
	require.Contains(t, said[0], "shop Warning FetchFailed: the sources cannot be read; the clusters keep their objects: dial tcp")

	f.newest.sourceError = nil
	emit(f.Reconciled(midday))
	fails(errors.New("EOF"))
	require.Len(t, said, 1, "it could be read in between")

	f.declared.object.Spec.Suspend = true
	emit(f.Reconciled(midday))
	emit(f.Reconciled(midday))
	f.declared.object.Spec.Suspend = false
	emit(f.Reconciled(midday))
	require.Len(t, said, 3)
	require.Contains(t, said[1], "shop Normal Suspended")
	require.Contains(t, said[2], "shop Normal Resumed")

	r := &v1alpha1.Release{Spec: v1alpha1.ReleaseSpec{Revision: "main@sha1:4f2c"}}
	mistakes := errors.Join(errors.New("policies/web.yaml:14: no such field"), errors.New("policies/web.yaml:19: neither"))
	emit(f.Rejected(inputkey.Key{}, r, v1alpha1.ReleaseStatus{}, mistakes, midday))
	emit(f.Rejected(inputkey.Key{}, r, v1alpha1.ReleaseStatus{Errors: []string{"policies/web.yaml:14: no such..."}}, mistakes, midday))
	require.Len(t, said, 4, "a process that starts again does not emit it again")
	require.Equal(t, "shop Warning BuildFailed: commit 4f2c is rejected, and the clusters keep their objects: policies/web.yaml:14: no such field (and 1 more)", said[3])
}
