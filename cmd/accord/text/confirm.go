package text

import (
	"bufio"
	"context"
	"io"
	"strings"
)

// Confirmed reports whether the next line of an input is yes. The end of ctx or of the input is no answer.
func Confirmed(ctx context.Context, in io.Reader) bool {
	answers := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(in).ReadString('\n')
		answers <- line
	}()
	select {
	case <-ctx.Done(): // Ctrl-C
		return false
	case answer := <-answers:
		answer = strings.ToLower(strings.TrimSpace(answer))
		return answer == "y" || answer == "yes"
	}
}
