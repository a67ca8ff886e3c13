package patch

// SensitiveError is an error that may quote the patched text. For a Secret, callers show Redacted instead.
type SensitiveError struct {
	Err      error
	Redacted string
}

func (e *SensitiveError) Error() string { return e.Err.Error() }

func (e *SensitiveError) Unwrap() error { return e.Err }
