// SPDX-License-Identifier: MPL-2.0

package files

import "errors"

func pipe(string) error { return errors.ErrUnsupported }
