package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/accord-dev/accord/examples/bench/memberserver"
)

// asMembers as the first argument turns the program into members.
const asMembers = "members"

// small is one line of what that program says: of one member, or that all are ready.
type small struct {
	Name, Kubeconfig string
	Ready            bool
}

// startSmall runs this program once more, as so many small members.
func startSmall(dir string, members int) (*fleet, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	at := filepath.Join(dir, asMembers)
	if err := os.Mkdir(at, 0o700); err != nil {
		return nil, err
	}
	var names []string
	for i := range members {
		names = append(names, fmt.Sprintf("member-%04d", i+1))
	}
	p, err := spawn(dir, asMembers, self, asMembers, "--dir", at, "--names", strings.Join(names, ","))
	if err != nil {
		return nil, err
	}
	f := &fleet{process: p, kubeconfigs: map[string]string{}, configs: map[string]*rest.Config{}}
	for {
		var line small
		if err = p.read(&line); err != nil || line.Ready {
			break
		}
		f.kubeconfigs[line.Name] = line.Kubeconfig
		if f.configs[line.Name], err = clientConfig(line.Kubeconfig); err != nil {
			break
		}
	}
	if err != nil {
		p.stop()
		return nil, err
	}
	return f, nil
}

// smallMembers serves members until ctx or in ends.
func smallMembers(ctx context.Context, args []string, in io.Reader, out io.Writer) (err error) {
	f := flag.NewFlagSet(asMembers, flag.ContinueOnError)
	dir := f.String("dir", "", "directory for the kubeconfigs")
	names := f.String("names", "", "comma-separated names")
	if err := f.Parse(args); err != nil {
		return err
	}
	host, err := memberserver.NewHost()
	if err != nil {
		return err
	}
	say := json.NewEncoder(out)
	var started []*memberserver.Server
	defer func() {
		for _, s := range started {
			err = errors.Join(err, s.Close())
		}
	}()
	for name := range strings.SplitSeq(*names, ",") {
		s, err := host.Start(name)
		if err != nil {
			return err
		}
		started = append(started, s)
		line := small{Name: name, Kubeconfig: filepath.Join(*dir, name)}
		if err := clientcmd.WriteToFile(kubeconfigOf(s.Config()), line.Kubeconfig); err != nil {
			return fmt.Errorf("kubeconfig of %s: %w", name, err)
		}
		if err := say.Encode(line); err != nil {
			return err
		}
	}
	if err := say.Encode(small{Ready: true}); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	go func() { // ends with the process: a read of a pipe cannot be called off
		defer cancel()
		_, _ = io.Copy(io.Discard, in)
	}()
	<-ctx.Done()
	return nil
}

// kubeconfigOf says the same as a file.
func kubeconfigOf(c *rest.Config) api.Config {
	const it = "member"
	return api.Config{
		Clusters:       map[string]*api.Cluster{it: {Server: c.Host, CertificateAuthorityData: c.CAData}},
		AuthInfos:      map[string]*api.AuthInfo{it: {Token: c.BearerToken}},
		Contexts:       map[string]*api.Context{it: {Cluster: it, AuthInfo: it}},
		CurrentContext: it,
	}
}
