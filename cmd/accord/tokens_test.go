package main

import (
	"context"
	"fmt"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/internal/phrase"
)

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

// identity waits until the ServiceAccount, the binding and the Secrets of accord are as expected on the current cluster of $KUBECONFIG.
func identity(ts *testscript.TestScript, _ bool, args []string) {
	ctx := context.Background()
	cfg, err := hub.ClientConfig(hub.Loader(ts.Getenv("KUBECONFIG"), ""))
	ts.Check(err)
	c, err := kubernetes.NewForConfig(cfg)
	ts.Check(err)
	got := ""
	for end := time.Now().Add(untilLimit); got != args[0] && time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		accounts, err := c.CoreV1().ServiceAccounts(hub.SystemNamespace).List(ctx, metav1.ListOptions{FieldSelector: "metadata.name=accord"})
		ts.Check(err)
		bindings, err := c.RbacV1().ClusterRoleBindings().List(ctx, metav1.ListOptions{FieldSelector: "metadata.name=accord"})
		ts.Check(err)
		tokens, err := c.CoreV1().Secrets(hub.SystemNamespace).List(ctx, metav1.ListOptions{})
		ts.Check(err)
		got = fmt.Sprintf("%d accounts, %d bindings, %d tokens", len(accounts.Items), len(bindings.Items), len(tokens.Items))
		switch {
		case len(accounts.Items) == 1 && len(bindings.Items) == 1:
			got = "accord"
		case len(accounts.Items)+len(bindings.Items)+len(tokens.Items) == 0:
			got = "none"
		}
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
