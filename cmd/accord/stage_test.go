package main

import (
	"errors"
	"os"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/accord-dev/accord/clusters/local"
	"github.com/accord-dev/accord/cmd/accord/demo/workloads"
	"github.com/accord-dev/accord/cmd/accord/hub"
)

// stage is the control planes of the scripts. Each starts when a script needs it, and stops when the test ends.
type stage struct {
	t *testing.T

	mu     sync.Mutex
	starts map[string]func() (*local.ControlPlane, error)
}

// plane returns the control plane of that name.
func (s *stage) plane(name string, start func(*testing.T, string) (*local.ControlPlane, error)) (*local.ControlPlane, error) {
	s.mu.Lock()
	once, ok := s.starts[name]
	if !ok {
		once = sync.OnceValues(func() (*local.ControlPlane, error) { return start(s.t, name) })
		s.starts[name] = once
	}
	s.mu.Unlock()
	return once()
}

// hub starts the shared hub, or one for this script alone.
func (s *stage) hub(ts *testscript.TestScript, _ bool, args []string) {
	name, ns := "hub", ts.Getenv("NS")
	if len(args) > 0 && args[0] == "own" {
		name = "hub-" + ns
	}
	plane, err := s.plane(name, startHub)
	ts.Check(err)
	ts.Check(makeNamespace(s.t.Context(), plane.Config(), ns))

	cfg, err := clientcmd.LoadFromFile(plane.Kubeconfig())
	ts.Check(err)
	cfg.Contexts[cfg.CurrentContext].Namespace = ns
	path := ts.MkAbs("hub.kubeconfig")
	ts.Check(clientcmd.WriteToFile(*cfg, path))
	ts.Setenv("ACCORD_KUBECONFIG", path)
	ts.Setenv("HUB", plane.Config().Host)
}

// member starts control planes, which scripts share, as contexts of this script's kubeconfig. One script joins a member: each join ends
// the token of the join before (TestOneScriptJoinsAMember).
func (s *stage) member(ts *testscript.TestScript, _ bool, names []string) {
	errs := make([]error, len(names))
	var starting sync.WaitGroup
	for i, name := range names {
		starting.Go(func() { _, errs[i] = s.plane(name, startPlane) })
	}
	starting.Wait()
	ts.Check(errors.Join(errs...))
	rules := &clientcmd.ClientConfigLoadingRules{}
	for _, name := range names {
		plane, err := s.plane(name, startPlane)
		ts.Check(err)
		rules.Precedence = append(rules.Precedence, plane.Kubeconfig())
	}
	merged, err := rules.Load()
	ts.Check(err)
	ts.Check(clientcmd.WriteToFile(*merged, ts.Getenv("KUBECONFIG")))
}

// workloads stands in for the controllers of a member until the test ends. The member gets the context that kind would give it.
func (s *stage) workloads(ts *testscript.TestScript, _ bool, args []string) {
	plane, err := s.plane(args[0], startPlane)
	ts.Check(err)
	ts.Check(workloads.Start(s.t.Context(), plane.Config()))
	cfg, err := clientcmd.LoadFromFile(ts.Getenv("KUBECONFIG"))
	ts.Check(err)
	cfg.Contexts["kind-"+args[0]] = cfg.Contexts[args[0]]
	ts.Check(clientcmd.WriteToFile(*cfg, ts.Getenv("KUBECONFIG")))
}

// install makes the current cluster of $KUBECONFIG the script's hub by applying manifests, and writes a kubeconfig of the
// controllers' account there.
func (s *stage) install(ts *testscript.TestScript, _ bool, args []string) {
	ctx, ns := s.t.Context(), ts.Getenv("NS")
	admin, err := clientcmd.LoadFromFile(ts.Getenv("KUBECONFIG"))
	ts.Check(err)
	cfg, err := hub.ClientConfig(hub.Loader(ts.Getenv("KUBECONFIG"), ""))
	ts.Check(err)
	ts.Check(applyManifests(ctx, cfg, ts.ReadFile(args[0])))
	ts.Check(makeNamespace(ctx, cfg, ns))
	admin.Contexts[admin.CurrentContext].Namespace = ns
	ts.Check(clientcmd.WriteToFile(*admin, ts.MkAbs("hub.kubeconfig")))
	ts.Setenv("ACCORD_KUBECONFIG", ts.MkAbs("hub.kubeconfig"))

	account := admin.DeepCopy()
	token, err := accountToken(ctx, cfg, hub.SystemNamespace, "accord")
	ts.Check(err)
	account.AuthInfos = map[string]*clientcmdapi.AuthInfo{"account": {Token: token}}
	account.Contexts[account.CurrentContext].AuthInfo = "account"
	ts.Check(clientcmd.WriteToFile(*account, ts.MkAbs(args[1])))
}

// startHub starts a control plane with the kinds of accord.dev.
func startHub(t *testing.T, name string) (*local.ControlPlane, error) {
	plane, err := startPlane(t, name)
	if err != nil {
		return nil, err
	}
	return plane, installKinds(t.Context(), plane.Config())
}

// startPlane starts a control plane that ends with the test.
func startPlane(t *testing.T, name string) (*local.ControlPlane, error) {
	dir, err := os.MkdirTemp(t.TempDir(), name)
	if err != nil {
		return nil, err
	}
	plane, err := local.Start(t.Context(), local.Options{Dir: dir, Name: name})
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { require.NoError(t, plane.Stop()) })
	return plane, nil
}
