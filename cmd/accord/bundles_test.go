package main

import (
	"context"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"

	"github.com/accord-dev/accord/api/delivery"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/internal/phrase"
)

// servedBundles waits until the hub of $ACCORD_KUBECONFIG serves the aggregated API with so many bundles, "1 bundle".
func servedBundles(ts *testscript.TestScript, _ bool, args []string) {
	cfg, err := hub.ClientConfig(hub.Loader(ts.Getenv("ACCORD_KUBECONFIG"), ""))
	ts.Check(err)
	c, err := dynamic.NewForConfig(cfg)
	ts.Check(err)
	got := ""
	for end := time.Now().Add(untilLimit); got != args[0] && time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		list, err := c.Resource(delivery.GroupVersion.WithResource(delivery.Bundles)).List(context.Background(), metav1.ListOptions{})
		if err != nil {
			got = err.Error()
			continue
		}
		got = phrase.Count(len(list.Items), "bundle")
	}
	if got != args[0] {
		ts.Fatalf("%s, expected %s", got, args[0])
	}
}
