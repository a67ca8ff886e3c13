// Package quietetcd keeps the API server's etcd client off stderr. That client logs there from information
// up, through a logger that k8s.io/apiserver makes of etcd's defaults while its package is initialised and
// lets nobody replace: the retries of a stopping control plane would appear in the user's terminal. Errors that
// matter reach the log through the API server.
//
// It works because Go initialises packages in the order of their import paths as soon as their own imports
// are initialised: this one needs only a part of the imports of the other, and sorts before k8s.io.
package quietetcd

import "go.etcd.io/etcd/client/pkg/v3/logutil"

func init() {
	logutil.DefaultZapLoggerConfig.OutputPaths = nil
	logutil.DefaultZapLoggerConfig.ErrorOutputPaths = nil
}
