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

// importExample matches the comment of an example that says what to import, and the parts of its ID:
//
//	# import: assess_skills_test_activation.sql, assessment_id = "asm-workbench", test_id = "skt-sql"
var (
	importExample = regexp.MustCompile(`(?m)\n# import: (assess_(\w+)\.\w+), (.*)\n`)
	importPart    = regexp.MustCompile(`(\w+) = "([^"]+)"`)
)

// imports replaces this comment in the example of each resource by an example of an import.
func imports(root string) error {
	files, err := filepath.Glob(filepath.Join(root, "examples/resources/*/resource.tf"))
	for _, file := range files {
		text, failed := os.ReadFile(file)
		err = errors.Join(err, failed)
		found := importExample.FindSubmatch(text)
		if found == nil {
			return fmt.Errorf("%s imports nothing", file)
		}
		var names, ids []string
		for _, part := range importPart.FindAllSubmatch(found[3], -1) {
			name := string(part[1])
			if name == "id" {
				name = string(found[2]) + "_id"
			}
			names, ids = append(names, strings.ToUpper(name)), append(ids, string(part[2]))
		}
		block := fmt.Sprintf("import {\n  to = %s\n  id = %q # %s\n  # or identity = { %s }\n}\n",
			found[1], strings.Join(ids, "/"), strings.Join(names, "/"), found[3])
		err = errors.Join(err,
			os.WriteFile(file, importExample.ReplaceAll(text, nil), 0o600),
			os.WriteFile(filepath.Join(filepath.Dir(file), "import-by-string-id.tf"), []byte(block), 0o600))
	}
	return err
}
