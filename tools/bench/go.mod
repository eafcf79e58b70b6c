module github.com/assessascode/terraform-provider-assess/tools/bench

go 1.26.8

toolchain go1.26.11

replace github.com/assessascode/terraform-provider-assess => ../..

require (
	github.com/assessascode/terraform-provider-assess v0.0.0-00010101000000-000000000000
	github.com/hashicorp/go-retryablehttp v0.7.8
	golang.org/x/time v0.16.0
)

require (
	github.com/gofrs/flock v0.13.1 // indirect
	github.com/hashicorp/go-cleanhttp v0.5.2 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)
