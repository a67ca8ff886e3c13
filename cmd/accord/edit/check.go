package edit

import (
	"errors"
	"fmt"
	"reflect"

	"go.yaml.in/yaml/v3"
)

// errUnlike is what is said of a file that this package is not sure about.
var errUnlike = errors.New("it is written in a way that cannot be edited safely: change it by hand")

// checked is the new text, if it says what the old one says with the change, and nothing else.
func (m Manifest) checked(text []byte, change func(*yaml.Node)) ([]byte, error) {
	documents, err := parse(m.file)
	if err != nil {
		return nil, err
	}
	at := documents[m.document]
	if m.item >= 0 {
		at = value(at, "items").Content[m.item]
	}
	change(at)
	made, err := parse(text)
	if err != nil || len(made) != len(documents) {
		return nil, errUnlike
	}
	for i := range documents {
		was, is := any(nil), any(nil)
		if err := errors.Join(documents[i].Decode(&was), made[i].Decode(&is)); err != nil {
			return nil, fmt.Errorf("%w (%w)", errUnlike, err)
		}
		if !reflect.DeepEqual(was, is) {
			return nil, errUnlike
		}
	}
	return text, nil
}
