// SPDX-License-Identifier: MPL-2.0

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

var (
	importTo   = regexp.MustCompile(`to = (assess_(\w+)\.\w+)`)
	importPart = regexp.MustCompile(`(\w+) *= "([^"]+)"`)
)

// imports writes the other examples of an import beside each import by identity: those by ID, in a block and on the
// command line.
func imports(root string) error {
	files, err := filepath.Glob(filepath.Join(root, "examples/resources/*/import-by-identity.tf"))
	for _, file := range files {
		text, failed := os.ReadFile(file)
		err = errors.Join(err, failed)
		to := importTo.FindSubmatch(text)
		if to == nil {
			return fmt.Errorf("%s imports no resource", file)
		}
		var names, ids []string
		for _, part := range importPart.FindAllSubmatch(text, -1) {
			name := string(part[1])
			if name == "id" {
				name = string(to[2]) + "_id"
			}
			names, ids = append(names, strings.ToUpper(name)), append(ids, string(part[2]))
		}
		id := strings.Join(ids, "/")
		block := fmt.Sprintf("import {\n  to = %s\n  id = %q # %s\n}\n", to[1], id, strings.Join(names, "/"))
		command := fmt.Sprintf("terraform import %s %s\n", to[1], id)
		err = errors.Join(err,
			os.WriteFile(filepath.Join(filepath.Dir(file), "import-by-string-id.tf"), []byte(block), 0o600),
			os.WriteFile(filepath.Join(filepath.Dir(file), "import.sh"), []byte(command), 0o600))
	}
	return err
}
