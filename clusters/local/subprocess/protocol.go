// Package subprocess runs a control plane in a process of its own, the program accord-apiserver, so that accord links neither an API
// server nor etcd. Both ends of the pipes between them are here: Start is that of accord, Serve that of the program.
//
// The program first writes its version. It waits for the settings, and accord sends them to the same version only, so that a program of
// another release never opens the data. Then the program reports that the control plane is ready, or why it is not. It ends in good order
// when accord writes "stop", and at once when the pipe closes, because accord is gone then. Its log goes to stderr, as JSON.
package subprocess

// Program is the name of the executable file.
const Program = "accord-apiserver"

// stopOrder is the line that ends the program in good order.
const stopOrder = "stop"

// greeting is the first line of the program.
type greeting struct {
	Version string `json:"version"`
}

// Settings are the line of accord that follows the greeting. They are fields of local.Options.
type Settings struct {
	Dir       string `json:"dir"`
	Port      int    `json:"port,omitempty"`
	Rebuild   bool   `json:"rebuild,omitempty"`
	RotateKey bool   `json:"rotateKey,omitempty"`
	AuditLog  string `json:"auditLog,omitempty"`
	// Details has the program log them. Start sets it.
	Details bool `json:"details,omitempty"`
}

// report is the second line of the program; a failure of the end is a third one.
type report struct {
	Access  *Access  `json:"access,omitempty"`
	Failure *Failure `json:"failure,omitempty"`
}

// Access has the address and the credentials of the administrator. The control plane renews the files.
type Access struct {
	Server     string `json:"server"`
	Kubeconfig string `json:"kubeconfig"`
	CA         []byte `json:"ca"` // in PEM
	Admin      Pair   `json:"admin"`
	// ClientAuthority signs the certificates of clients that the API server accepts.
	ClientAuthority Pair `json:"clientAuthority"`
}

// Pair names the files of a certificate and its key.
type Pair struct {
	CertFile string `json:"certFile"`
	KeyFile  string `json:"keyFile"`
}

// A Reason tells a failure with a remedy of its own from others.
type Reason string

// The reasons of a Failure.
const (
	DamagedStore Reason = "DamagedStore"
	PortTaken    Reason = "PortTaken"
)

// Failure is the reason why a control plane did not start, or ended.
type Failure struct {
	Reason  Reason `json:"reason,omitempty"`
	Message string `json:"message"`
	Port    int    `json:"port,omitempty"` // of PortTaken
}

func (f *Failure) Error() string { return f.Message }
