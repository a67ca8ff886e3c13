// Package kwok gives a cluster fake nodes. It runs kwok (https://kwok.sigs.k8s.io) as a child
// process, which acts as their kubelets: pods that are scheduled to its nodes become ready, jobs complete, and
// pods with an image that cannot be pulled stay pending, see BadTag. Package kubelet answers requests for logs and commands.
//
// kwok is not among the requirements of this module, whose versions it would move. kwok.mod and kwok.sum are
// a go.mod and go.sum of their own that hold it as a tool; Build has the go command build it.
package kwok

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"

	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/accord-dev/accord/clusters/local/kubelet"
)

// BadTag is the tag of images that cannot be pulled here: a pod with a container whose image ends in
// ":does-not-exist" stays Pending with reason ImagePullBackOff. Every other image runs.
const BadTag = "does-not-exist"

// stages configure how kwok moves nodes and pods through their phases.
//
//go:embed stages.yaml
var stages []byte

// Options of the fake nodes of one cluster.
type Options struct {
	Nodes   int          // how many, named node-0 and up, each 32 CPUs, 256Gi and 110 pods; at least 1
	Program string       // path of a kwok v0.8 binary, see Build; required
	Log     *slog.Logger // gets kwok's output at debug level; nil = discard
}

// Start runs kwok against the cluster of the kubeconfig file and returns when all nodes are Ready. The
// function returned ends kwok and waits; it leaves the nodes as they are, and a later Start adopts them.
//
// The context bounds the start only. On Linux kwok dies with this process however that ends.
func Start(ctx context.Context, kubeconfig string, o Options) (stop func(), err error) {
	if o.Nodes < 1 {
		return nil, fmt.Errorf("starting kwok: %d nodes asked for", o.Nodes)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("connecting kwok: %w", err)
	}
	config.QPS = -1 // no limit on this side
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("connecting kwok: %w", err)
	}
	pods, err := kubelet.Start()
	if err != nil {
		return nil, err
	}
	end, err := play(ctx, client.CoreV1().Nodes(), kubeconfig, pods, o)
	if err != nil {
		pods.Stop()
		return nil, err
	}
	return func() { end(); pods.Stop() }, nil
}

// play runs kwok until stop is called. It returns when all nodes are Ready.
func play(ctx context.Context, nodes typedcorev1.NodeInterface, kubeconfig string, pods *kubelet.Server, o Options) (stop func(), err error) {
	if err := createNodes(ctx, nodes, o.Nodes, pods); err != nil {
		return nil, err
	}
	child, err := startChild(o.Program, arguments(kubeconfig), bytes.NewReader(stages), o.Log)
	if err != nil {
		return nil, fmt.Errorf("starting kwok: %w", err)
	}
	if err := waitNodes(ctx, nodes, o.Nodes, child.done); err != nil {
		child.stop()
		return nil, errors.Join(err, child.err)
	}
	return child.stop, nil
}

// arguments make kwok read the stages from its stdin, play only nodes that are marked as fake, and neither
// serve (several kwoks share this machine) nor renew leases (nobody looks at them).
func arguments(kubeconfig string) []string {
	return []string{
		"--kubeconfig=" + kubeconfig,
		"--config=-",
		"--manage-all-nodes=false",
		"--manage-nodes-with-annotation-selector=" + fakeAnnotation + "=" + fakeValue,
		"--node-lease-duration-seconds=0",
		"--node-port=0",
		"--cidr=10.244.0.0/16",
	}
}
