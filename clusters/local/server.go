package local

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	apimachineryversion "k8s.io/apimachinery/pkg/version"
	basecompatibility "k8s.io/component-base/compatibility"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"

	"github.com/accord-dev/accord/clusters/local/internal/sharing"
)

// shutdownLimit bounds how long a stopping API server waits for connections that do not go away by themselves.
const shutdownLimit = 3 * time.Second

var errServerEnded = errors.New("the API server ended by itself")

// building serialises the assembly of API servers: it works on feature gates, schemes and metrics registries
// that exist once per process, and nobody promises that two may do so at once. Assembly is short; the
// long part, becoming ready, runs in parallel.
var building sync.Mutex

// A server is a running kube-apiserver.
type server struct {
	cancel context.CancelFunc
	done   chan struct{} // closed when the server has ended; err may be read then
	err    error
}

// startServer assembles a complete kube-apiserver and starts serving on the listener, which it owns from then
// on. It returns before the server is ready.
func startServer(o Options, keys pki, secrets *encryption, etcd string, listener net.Listener) (*server, error) {
	flags := serverOptions(o, keys, etcd, listener)
	flags.Etcd.EncryptionProviderConfigFilepath = secrets.path
	if err := audit(flags, o.Dir, o.AuditLog); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	building.Lock()
	run, err := assemble(ctx, flags)
	building.Unlock()
	if err != nil {
		cancel()
		return nil, fmt.Errorf("assembling the API server: %w", err)
	}
	s := &server{cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(s.done)
		if err := run(ctx); err != nil {
			s.err = fmt.Errorf("running the API server: %w", err)
		}
	}()
	return s, nil
}

// close stops the server, waits for its end, and returns the error that ended it earlier, if any.
func (s *server) close() error {
	s.cancel()
	<-s.done
	return s.err
}

// assemble builds the chain of aggregator, API server and apiextensions server, and returns the function that runs
// it. Only one goroutine at a time may call it, see building.
func assemble(ctx context.Context, o *options.ServerRunOptions) (run func(context.Context) error, err error) {
	if err := o.GenericServerRunOptions.ComponentGlobalsRegistry.Set(); err != nil {
		return nil, err
	}
	completed, err := o.Complete(ctx)
	if err != nil {
		return nil, err
	}
	if errs := completed.Validate(); len(errs) > 0 {
		return nil, utilerrors.NewAggregate(errs)
	}
	config, err := app.NewConfig(completed)
	if err != nil {
		return nil, err
	}
	version := &config.Aggregator.GenericConfig.EffectiveVersion
	*version = released{*version}
	generic := config.Aggregator.GenericConfig
	generic.LongRunningFunc = waitingToo(generic.LongRunningFunc)
	generic.BuildHandlerChainFunc = withSmallBuffers(newTurns().inTurn(generic.BuildHandlerChainFunc))
	records := &config.ApiExtensions.ExtraConfig.CRDRESTOptionsGetter
	*records = sharing.Getter(*records, wholeVersion)
	chain, err := config.Complete()
	if err != nil {
		return nil, err
	}
	aggregator, err := app.CreateServerChain(chain)
	if err != nil {
		return nil, err
	}
	aggregator.GenericAPIServer.ShutdownTimeout = shutdownLimit
	prepared, err := aggregator.PrepareRun()
	if err != nil {
		return nil, err
	}
	return prepared.Run, nil
}

// wholeVersion is v1alpha1.WholeVersion, through which accord writes and nobody reads. This package imports nothing of accord;
// TestWholeVersion compares both.
var wholeVersion = schema.GroupVersion{Group: "accord.dev", Version: "v1alpha1-whole"}

// kubernetesVersion is the release of k8s.io/kubernetes in go.mod; a test compares them.
const kubernetesVersion = "v1.36.3"

// released answers /version with the release that is linked in. The official builds set it through linker
// flags, which "go install" does not know, and kubectl fails on the placeholder.
type released struct {
	basecompatibility.EffectiveVersion
}

func (r released) Info() *apimachineryversion.Info {
	info := r.EffectiveVersion.Info()
	info.GitVersion = kubernetesVersion
	return info
}
