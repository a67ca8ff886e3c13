package member

import (
	"encoding/base64"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/reconciler/state/changes"
)

// tokenOf returns a token of ten minutes, issued at a time.
func tokenOf(issued time.Time) string {
	claims := fmt.Sprintf(`{"iat":%d,"exp":%d,"kubernetes.io":{"namespace":"accord-system","serviceaccount":{"name":"accord"}}}`, issued.Unix(), issued.Unix()+600)
	return "h." + base64.RawURLEncoding.EncodeToString([]byte(claims)) + ".s"
}

// TestTokensRotate follows a token of ten minutes for an hour. Once the member refuses to renew it, and once the hub does not
// store the new one.
func TestTokensRotate(t *testing.T) {
	begin := time.Unix(1_800_000_000, 0)
	now, refuses, requested := begin, false, 0
	var used string
	member := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requested, used = requested+1, r.Header.Get("Authorization")
		require.Equal(t, "/api/v1/namespaces/accord-system/serviceaccounts/accord/token", r.URL.Path)
		if refuses {
			http.Error(w, "no", http.StatusForbidden)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"status":{"token":%q}}`, tokenOf(now))
	}))
	defer member.Close()
	scheme := runtime.NewScheme()
	require.NoError(t, corev1.AddToScheme(scheme))
	secret := &corev1.Secret{Type: clusters.SecretType, Data: map[string][]byte{clusters.TokenKey: []byte(tokenOf(begin))}}
	secret.Namespace, secret.Name = "accord-system", "eu-1"
	hub := fake.NewClientBuilder().WithScheme(scheme).WithObjects(secret).Build()
	var events []string
	c := New(Options{Hub: hub, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return now }, Emit: func(e changes.Event) {
		events = append(events, e.Reason+": "+e.Message)
	}})
	m, err := clusters.Connect(&rest.Config{Host: member.URL, BearerToken: tokenOf(begin)}, "eu-1")
	require.NoError(t, err)
	eu := &v1alpha1.Cluster{}
	eu.Name = "eu-1"
	stored := func() *corev1.Secret {
		s := &corev1.Secret{}
		require.NoError(t, hub.Get(t.Context(), client.ObjectKeyFromObject(secret), s))
		return s
	}
	probe := func(after time.Duration) string { // as the probe of that time does
		now = begin.Add(after)
		c.renewToken(t.Context(), eu, stored(), m)
		return string(stored().Data[clusters.TokenKey])
	}

	require.Equal(t, tokenOf(begin), probe(299*time.Second))
	require.Zero(t, requested, "half of its life is not over")
	first := probe(300 * time.Second)
	require.Equal(t, tokenOf(begin.Add(300*time.Second)), first)
	require.Equal(t, "Bearer "+tokenOf(begin), used)
	require.Equal(t, first, probe(310*time.Second))
	require.Equal(t, 1, requested)

	refuses = true
	require.Equal(t, first, probe(600*time.Second))
	require.Equal(t, first, probe(629*time.Second))
	require.Equal(t, 2, requested, "it is not tried at each probe")
	require.Equal(t, "Bearer "+first, used, "the connection goes on with the new token")
	require.Len(t, events, 1)
	require.Contains(t, events[0], "TokenNotRenewed: the token of the cluster ends at 2027-01-15T08:15:00Z, and accord could not renew it")
	require.Contains(t, events[0], "resources: [serviceaccounts/token], resourceNames: [accord], verbs: [create]}, in namespace accord-system")
	refuses = false
	require.Equal(t, tokenOf(begin.Add(630*time.Second)), probe(630*time.Second))

	stale := stored()
	changed := stored()
	changed.Labels = map[string]string{"somebody": "else"}
	require.NoError(t, hub.Update(t.Context(), changed))
	now = begin.Add(930 * time.Second)
	c.renewToken(t.Context(), eu, stale, m)
	require.Equal(t, tokenOf(begin.Add(630*time.Second)), string(stored().Data[clusters.TokenKey]), "the Secret changed meanwhile")
	require.Equal(t, tokenOf(begin.Add(960*time.Second)), probe(960*time.Second))
	require.Equal(t, "Bearer "+tokenOf(begin.Add(630*time.Second)), used, "a token that is not stored is not used")
	for at := 970 * time.Second; at <= time.Hour; at += 10 * time.Second {
		probe(at)
	}
	last, _ := clusters.ReadToken(string(stored().Data[clusters.TokenKey]))
	require.Less(t, now.Sub(last.Issued), 300*time.Second)
	require.Len(t, events, 2)
}
