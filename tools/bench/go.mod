module github.com/assessascode/terraform-provider-assess/tools/bench

go 1.26.8

toolchain go1.26.11

replace github.com/assessascode/terraform-provider-assess => ../..

require github.com/assessascode/terraform-provider-assess v0.0.0-00010101000000-000000000000

require golang.org/x/sys v0.50.0 // indirect
