package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/internal/phrase"
)

// tokens fills token Secrets on the current cluster of $KUBECONFIG while the script runs, as kube-controller-manager does.
func (s *stage) tokens(ts *testscript.TestScript, _ bool, _ []string) {
	cfg, err := hub.ClientConfig(hub.Loader(ts.Getenv("KUBECONFIG"), ""))
	ts.Check(err)
	ctx, cancel := context.WithCancel(s.t.Context())
	var filling sync.WaitGroup
	filling.Go(func() { fillTokens(ctx, cfg) })
	ts.Defer(func() { cancel(); filling.Wait() })
}

// fillTokens writes a real token into every empty token Secret, until the context ends.
func fillTokens(ctx context.Context, cfg *rest.Config) {
	c := kubernetes.NewForConfigOrDie(cfg)
	for ; ctx.Err() == nil; time.Sleep(20 * time.Millisecond) {
		list, err := c.CoreV1().Secrets(hub.SystemNamespace).List(ctx, metav1.ListOptions{FieldSelector: "type=" + string(corev1.SecretTypeServiceAccountToken)})
		if err != nil {
			continue
		}
		for _, secret := range list.Items {
			if len(secret.Data) > 0 {
				continue
			}
			token, err := accountToken(ctx, cfg, hub.SystemNamespace, secret.Annotations[corev1.ServiceAccountNameKey])
			if err != nil {
				continue
			}
			secret.Data = map[string][]byte{corev1.ServiceAccountTokenKey: []byte(token)}
			_, _ = c.CoreV1().Secrets(hub.SystemNamespace).Update(ctx, &secret, metav1.UpdateOptions{}) // tried again
		}
	}
}

// secrets compares the number of join's Secrets on the current cluster of $KUBECONFIG.
func secrets(ts *testscript.TestScript, _ bool, args []string) {
	cfg, err := hub.ClientConfig(hub.Loader(ts.Getenv("KUBECONFIG"), ""))
	ts.Check(err)
	c, err := kubernetes.NewForConfig(cfg)
	ts.Check(err)
	list, err := c.CoreV1().Secrets(hub.SystemNamespace).List(context.Background(), metav1.ListOptions{})
	ts.Check(err)
	if got := phrase.Count(len(list.Items), "secret"); got != args[0] {
		ts.Fatalf("%s, expected %s", got, args[0])
	}
}

// identity compares the ServiceAccount, the binding and the token Secrets of accord on the current cluster of $KUBECONFIG.
func identity(ts *testscript.TestScript, _ bool, args []string) {
	ctx := context.Background()
	cfg, err := hub.ClientConfig(hub.Loader(ts.Getenv("KUBECONFIG"), ""))
	ts.Check(err)
	c, err := kubernetes.NewForConfig(cfg)
	ts.Check(err)
	accounts, err := c.CoreV1().ServiceAccounts(hub.SystemNamespace).List(ctx, metav1.ListOptions{FieldSelector: "metadata.name=accord"})
	ts.Check(err)
	bindings, err := c.RbacV1().ClusterRoleBindings().List(ctx, metav1.ListOptions{FieldSelector: "metadata.name=accord"})
	ts.Check(err)
	tokens, err := c.CoreV1().Secrets(hub.SystemNamespace).List(ctx, metav1.ListOptions{})
	ts.Check(err)
	got := fmt.Sprintf("%d accounts, %d bindings, %d tokens", len(accounts.Items), len(bindings.Items), len(tokens.Items))
	switch {
	case len(accounts.Items) == 1 && len(bindings.Items) == 1:
		got = "accord"
	case len(accounts.Items)+len(bindings.Items)+len(tokens.Items) == 0:
		got = "none"
	}
	if got != args[0] {
		ts.Fatalf("%s, expected %s", got, args[0])
	}
}

// unchanged remembers the resourceVersion of a ConfigMap, and compares it at the second call.
func unchanged(ts *testscript.TestScript, _ bool, args []string) {
	cfg, err := hub.ClientConfig(hub.Loader(ts.Getenv("KUBECONFIG"), ""))
	ts.Check(err)
	c, err := kubernetes.NewForConfig(cfg)
	ts.Check(err)
	cm, err := c.CoreV1().ConfigMaps(metav1.NamespaceDefault).Get(context.Background(), args[0], metav1.GetOptions{})
	ts.Check(err)
	known := "VERSION_" + args[0]
	if before := ts.Getenv(known); before != "" && before != cm.ResourceVersion {
		ts.Fatalf("ConfigMap %s was written: %s, %s", args[0], before, cm.ResourceVersion)
	}
	ts.Setenv(known, cm.ResourceVersion)
}
