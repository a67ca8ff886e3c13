package local

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"

	"github.com/accord-dev/accord/clusters/local/internal/logs"
)

// A store is a running etcd with one member, reachable through its socket only.
type store struct {
	etcd     *embed.Etcd
	endpoint string       // unix:///...
	failed   <-chan error // yields when etcd stops serving by itself
}

// startStore runs etcd on dir and returns when it accepts requests. It listens on the socket and nowhere
// else; the directory around the socket decides who may connect.
func startStore(ctx context.Context, dir, socket string, log *slog.Logger) (*store, error) {
	etcd, err := embed.StartEtcd(storeConfig(dir, socket, log))
	if err != nil {
		return nil, fmt.Errorf("starting etcd on %s: %w", dir, err)
	}
	select {
	case <-etcd.Server.ReadyNotify():
	case err = <-etcd.Err():
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if err != nil {
		etcd.Close()
		return nil, fmt.Errorf("waiting for etcd on %s: %w", dir, err)
	}
	return &store{etcd: etcd, endpoint: "unix://" + socket, failed: storeErrors(etcd)}, nil
}

// catchUpEntries is the number of writes that etcd keeps in memory for members that are behind. There is no other member, and etcd's default
// of 5,000 takes tens of megabytes.
const catchUpEntries = 100

func storeConfig(dir, socket string, log *slog.Logger) *embed.Config {
	c := embed.NewConfig()
	c.Dir = dir
	c.ListenClientUrls = []url.URL{{Scheme: "unix", Path: socket}}
	// A single member has no peers: no peer listener. The advertised URL is its identity in the data
	// directory. Nobody dials it, and it must still look like host:port.
	c.ListenPeerUrls = nil
	c.AdvertiseClientUrls = []url.URL{{Scheme: "http", Host: "127.0.0.1:2379"}}
	c.AdvertisePeerUrls = []url.URL{{Scheme: "http", Host: "127.0.0.1:2380"}}
	c.InitialCluster = c.InitialClusterFromName(c.Name)
	c.SnapshotCatchUpEntries = catchUpEntries
	c.ZapLoggerBuilder = embed.NewZapLoggerBuilder(logs.Zap(log, "etcd").WithOptions(zap.WithFatalHook(lastWords{dir, log})))
	return c
}

// storeErrors passes on the first error of a running etcd; it ends when etcd is closed.
func storeErrors(etcd *embed.Etcd) <-chan error {
	failed := make(chan error, 1)
	go func() {
		if err, open := <-etcd.Err(); open {
			failed <- fmt.Errorf("etcd: %w", errors.Join(err, errStoreEnded))
		}
	}()
	return failed
}

// errStoreEnded reports an etcd that stopped without an error.
var errStoreEnded = errors.New("the store stopped serving")

// readOnly reports whether the store refuses writes.
func (s *store) readOnly() bool {
	return slices.ContainsFunc(s.etcd.Server.Alarms(), func(a *etcdserverpb.AlarmMember) bool { return a.Alarm == etcdserverpb.AlarmType_NOSPACE })
}

// setReadOnly has the store refuse writes, except deletions, or accept them again. etcd keeps this over a restart.
func (s *store) setReadOnly(ctx context.Context, refuse bool) error {
	action := etcdserverpb.AlarmRequest_DEACTIVATE
	if refuse {
		action = etcdserverpb.AlarmRequest_ACTIVATE
	}
	_, err := s.etcd.Server.Alarm(ctx, &etcdserverpb.AlarmRequest{
		Action: action, Alarm: etcdserverpb.AlarmType_NOSPACE, MemberID: uint64(s.etcd.Server.MemberID()),
	})
	return err
}

// close stops etcd and waits for it. The API server must be gone by then.
func (s *store) close() error {
	s.etcd.Close()
	return nil
}
