package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// hookToken signs push hooks.
const hookToken = "not a secret: nobody else can reach this hub"

// ourSide is accord run, which gets pushes through its hook.
type ourSide struct {
	side
	dir, program string
	repository   *repository
	hub          *fleet
	declared     client.Client
	hook, pprof  string // addresses
}

// startOurs declares members and federation on the hub, with a repository that places everything and has nothing to
// place yet, and returns when accord has seen both and rests.
func startOurs(ctx context.Context, dir, program string, hub, members *fleet, w workload, preflight bool) (*ourSide, error) {
	o := &ourSide{side: side{workload: w, members: members}, dir: dir, program: program, hub: hub}
	var err error
	if o.repository, err = newRepository(ctx, dir); err != nil {
		return nil, err
	}
	if err := o.firstCommit(ctx); err != nil {
		return nil, err
	}
	if o.declared, err = declare(ctx, hub.configs[hubName], members, o.repository.url(), preflight, tenants(w)...); err != nil {
		return nil, err
	}
	if o.seen, err = observe(ctx, members.configs, w.namespace); err != nil {
		return nil, err
	}
	if err := o.listen(); err != nil {
		return nil, err
	}
	if err := o.start(); err != nil {
		return nil, err
	}
	if err := o.ready(ctx); err != nil {
		o.process.stop()
		return nil, err
	}
	return o, nil
}

func (o *ourSide) firstCommit(ctx context.Context) error {
	return errors.Join(
		o.repository.write("policies/everywhere.yaml", o.workload.policy()),
		o.repository.push(ctx, "place everything on every member"),
	)
}

// listen chooses the addresses at which accord listens.
func (o *ourSide) listen() (err error) {
	if o.hook, err = freeAddress(); err == nil {
		o.pprof, err = freeAddress()
	}
	return err
}

func (o *ourSide) start() (err error) {
	o.process, err = spawn(o.dir, "accord", o.program, "run", "--kubeconfig", o.hub.kubeconfigs[hubName],
		"--cache-dir", filepath.Join(o.dir, "cache"), "--webhook-bind-address", o.hook, "--pprof", o.pprof, "--leader-elect=false", "--allow-local-sources")
	return err
}

// freeAddress is free now, which is as much as can be known.
func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("looking for a free port: %w", err)
	}
	defer listener.Close()
	return listener.Addr().String(), nil
}

// ready returns when every member is connected, the newest request has been handled, and accord rests.
func (o *ourSide) ready(ctx context.Context) error {
	if err := o.request(ctx); err != nil {
		return err
	}
	if err := o.until(ctx, "the members to be connected", func(ctx context.Context) (bool, error) {
		var clusters v1alpha1.ClusterList
		err := o.declared.List(ctx, &clusters)
		for _, c := range clusters.Items {
			if !meta.IsStatusConditionTrue(c.Status.Conditions, "Ready") {
				return false, err
			}
		}
		return true, err
	}); err != nil {
		return err
	}
	return o.process.settle(ctx)
}

// request asks for a reconciliation as a person would and returns when it is done.
func (o *ourSide) request(ctx context.Context) error {
	at := time.Now().Format(time.RFC3339Nano)
	fed := federation("", false)
	patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}}}`, v1alpha1.RequestedAtAnnotation, at)
	if err := o.declared.Patch(ctx, fed, client.RawPatch("application/merge-patch+json", []byte(patch))); err != nil {
		return fmt.Errorf("requesting a reconciliation: %w", err)
	}
	return o.until(ctx, "a requested reconciliation", func(ctx context.Context) (bool, error) {
		err := o.declared.Get(ctx, client.ObjectKeyFromObject(fed), fed)
		return fed.Status.LastHandledReconcileAt == at, err
	})
}

// recorded returns when the hub has the record of every object and accord rests: on a busy machine accord may seem to rest before. It
// waits as long as records are added. The hub looks at all records to count them, so it is asked less often if there are more.
func (o *ourSide) recorded(ctx context.Context, objects int) error {
	most, grown := -1, time.Now()
	err := o.poll(ctx, pollPause+time.Duration(objects/100)*time.Millisecond, "the records of all objects", func(ctx context.Context) (bool, error) {
		var records v1alpha1.FederatedObjectList
		err := o.declared.List(ctx, &records, client.Limit(1))
		n := len(records.Items) + int(ptr.Deref(records.RemainingItemCount, 0))
		if n > most {
			most, grown = n, time.Now()
		}
		if time.Since(grown) > changeLimit {
			return false, fmt.Errorf("the hub has %d of %d, and got no other one for %s", most, objects, changeLimit)
		}
		return n >= objects, err
	})
	return errors.Join(err, o.process.settle(ctx))
}

// pollPause separates two questions to the hub.
const pollPause = 100 * time.Millisecond

// until waits for something that accord says of itself.
func (o *ourSide) until(ctx context.Context, what string, done wait.ConditionWithContextFunc) error {
	ctx, cancel := context.WithTimeout(ctx, changeLimit)
	defer cancel()
	return o.poll(ctx, pollPause, what, done)
}

// poll does this until ctx ends, and looks after each pause.
func (o *ourSide) poll(ctx context.Context, pause time.Duration, what string, done wait.ConditionWithContextFunc) error {
	err := wait.PollUntilContextCancel(ctx, pause, true, func(ctx context.Context) (bool, error) {
		select {
		case <-o.process.ended:
			return false, errors.New("it ended")
		default:
			return done(ctx)
		}
	})
	if err != nil {
		return o.process.complain(fmt.Errorf("waiting for %s: %w", what, err))
	}
	return nil
}

// pushed sends accord the hook of a push, as a Git server would.
func (o *ourSide) pushed(ctx context.Context) error {
	const body = `{"ref":"refs/heads/main"}`
	mac := hmac.New(sha256.New, []byte(hookToken))
	mac.Write([]byte(body))
	url := "http://" + o.hook + "/hook/" + federationNamespace + "/" + federationName
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("X-Signature", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("push hook: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusAccepted {
		return fmt.Errorf("push hook: %s", response.Status)
	}
	return nil
}
