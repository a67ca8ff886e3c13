package patch

// Quoting is an error that may repeat some of the text that it is about. For who must not see that text, as of a Secret,
// there is a sentence without it.
type Quoting struct {
	Err      error
	Sentence string
}

func (q *Quoting) Error() string { return q.Err.Error() }

// Unwrap is the error that quotes.
func (q *Quoting) Unwrap() error { return q.Err }
