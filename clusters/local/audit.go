package local

import (
	"fmt"
	"path/filepath"

	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"
)

// auditPolicy records the metadata of each request when it ends: user, verb, object and answer, and never a body.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: None
  nonResourceURLs: [/healthz*, /livez*, /readyz*]
- level: Metadata
`

// Limits of an audit log. A full file is renamed with its time, and the oldest ones are deleted.
const (
	auditMegabytes = 100
	auditFiles     = 10
	auditDays      = 30
)

// audit has the API server write an audit log.
func audit(s *options.ServerRunOptions, dir, log string) error {
	if log == "" {
		return nil
	}
	path, err := filepath.Abs(log)
	if err != nil {
		return fmt.Errorf("resolving the audit log: %w", err)
	}
	policy := filepath.Join(dir, "audit-policy.yaml")
	if err := writeFile(policy, []byte(auditPolicy)); err != nil {
		return fmt.Errorf("writing the audit policy: %w", err)
	}
	s.Audit.PolicyFile = policy
	s.Audit.LogOptions.Path = path
	s.Audit.LogOptions.MaxSize, s.Audit.LogOptions.MaxBackups, s.Audit.LogOptions.MaxAge = auditMegabytes, auditFiles, auditDays
	return nil
}
