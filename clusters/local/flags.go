package local

import (
	"net"
	"time"

	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"
	"k8s.io/kubernetes/pkg/controlplane/reconcilers"
)

// serverOptions are the kube-apiserver's flags, as the fields they set. All others have the
// default of a kube-apiserver.
func serverOptions(o Options, keys pki, etcd string, listener net.Listener) *options.ServerRunOptions {
	s := options.NewServerRunOptions()
	addr := listener.Addr().(*net.TCPAddr)

	s.Etcd.StorageConfig.Transport.ServerList = []string{etcd}

	s.SecureServing.Listener = listener
	s.SecureServing.BindAddress, s.SecureServing.BindPort = addr.IP, addr.Port
	s.SecureServing.ServerCert.CertKey.CertFile = keys.file("serving.crt")
	s.SecureServing.ServerCert.CertKey.KeyFile = keys.file("serving.key")
	s.GenericServerRunOptions.AdvertiseAddress = addr.IP
	s.EndpointReconcilerType = string(reconcilers.NoneEndpointReconcilerType) // nobody reaches us through a Service
	s.ServiceClusterIPRanges = "10.0.0.0/16"
	s.AllowPrivileged = true // stored, never run here

	s.Authentication.ClientCert.ClientCA = keys.file("ca.crt")
	s.Authentication.ServiceAccounts.Issuers = []string{"https://" + o.Name + ".local"}
	s.Authentication.ServiceAccounts.KeyFiles = []string{keys.file("service-account.key")}
	s.ServiceAccountSigningKeyFile = keys.file("service-account.key")
	s.Authentication.RequestHeader.ClientCAFile = keys.file(frontProxyCA + ".crt")
	s.Authentication.RequestHeader.AllowedNames = []string{frontProxyClient}
	s.Authentication.RequestHeader.UsernameHeaders = []string{"X-Remote-User"}
	s.Authentication.RequestHeader.UIDHeaders = []string{"X-Remote-Uid"}
	s.Authentication.RequestHeader.GroupHeaders = []string{"X-Remote-Group"}
	s.Authentication.RequestHeader.ExtraHeaderPrefixes = []string{"X-Remote-Extra-"}
	s.ProxyClientCertFile, s.ProxyClientKeyFile = keys.file(frontProxyClient+".crt"), keys.file(frontProxyClient+".key")
	s.Authentication.BootstrapToken.Enable = true // clusters register with bootstrap tokens
	s.Authorization.Modes = []string{"RBAC"}

	// ServiceAccount would refuse pods until a controller has made the namespace's default account.
	// TaintNodesByCondition would close each new node until a node lifecycle controller opens it.
	s.Admission.GenericAdmission.DisablePlugins = []string{"ServiceAccount", "TaintNodesByCondition"}
	s.Features.EnablePriorityAndFairness = false // accord and administrators are not limited anyway, and agents write in turn
	s.GenericServerRunOptions.MaxMutatingRequestsInFlight = maxWaiting

	// Ends watches as soon as the server stops; without a grace period they would hold it until their clients go.
	s.GenericServerRunOptions.ShutdownWatchTerminationGracePeriod = time.Second
	return s
}
