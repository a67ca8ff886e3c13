package propagate

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/accord-dev/accord/render"
)

// Load reads what Dump wrote, or a case written by hand: every .yaml part is read as files in Git are, whatever its
// name, so that objects, policies and Clusters may stand where they read best. Origins are lines of these parts. The
// part "input" with "federation:" and "revision:" may be left out.
func Load(text []byte) (Input, error) {
	archive := txtar.Parse(text)
	tree, err := txtar.FS(archive)
	if err != nil {
		return Input{}, fmt.Errorf("reading the archive: %w", err)
	}
	objects, err := render.Build(tree, render.Options{})
	if err != nil {
		return Input{}, err
	}
	parts, err := Sort(objects)
	if err != nil {
		return Input{}, err
	}
	in := Input{Objects: parts.Objects, Policies: parts.Policies, Overrides: parts.Overrides, Fleet: parts.Fleet()}
	for _, f := range archive.Files {
		if f.Name == headFile {
			in.readHead(f.Data)
		}
	}
	return in, nil
}

func (in *Input) readHead(text []byte) {
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		key, value, _ := strings.Cut(lines.Text(), ":")
		switch value = strings.TrimSpace(value); key {
		case "federation":
			in.Federation = value
		case "revision":
			in.Revision = value
		}
	}
}
