variable "nothing" {
  type    = string
  default = null
}

variable "set" {
  type = any
}

provider "assess" {
  rate_limit {
    coordination = "none"
    share        = var.nothing
  }
}

resource "assess_skills_test_activation" "all" {
  for_each      = toset(local.disabled)
  assessment_id = "asm-workbench"
  test_id       = each.key
}

locals {
  activations = { for id, activation in assess_skills_test_activation.all : id => activation.test_id }
}

# A variable of any type: objects that lack attributes, or have null.
module "variable" {
  source      = "./modules/objects"
  position_id = "pos-variable"
  assessments = var.set
  activations = local.activations
}

module "json" {
  source      = "./modules/objects"
  position_id = "pos-json"
  assessments = jsondecode(file("${path.module}/set.json"))
  activations = local.activations
}

module "yaml" {
  source      = "./modules/objects"
  position_id = "pos-yaml"
  assessments = yamldecode(file("${path.module}/set.yaml"))
  activations = local.activations
}

# Commas, with quotes around cells.
module "csv" {
  source      = "./modules/flat"
  position_id = "pos-csv"
  activations = local.activations
  assessments = [for row in csvdecode(file("${path.module}/comma.csv")) : {
    assessment           = row.assessment
    on_refused_removal   = row.on_refused_removal != "" ? row.on_refused_removal : null
    packages             = row.packages == "" ? null : split(",", row.packages)
    select               = row.select == "" ? null : row.select
    benchmark            = row.benchmark == "" ? var.nothing : row.benchmark
    profile              = try(coalesce(row.profile), null)
    on_supervisor_change = row.on_supervisor_change == "" ? null : row.on_supervisor_change
    tests                = compact(split(",", row.tests))
  }]
}

# A byte order mark, semicolons and CRLF, as spreadsheets write them.
module "spreadsheet" {
  source      = "./modules/objects"
  position_id = "pos-spreadsheet"
  activations = local.activations
  assessments = {
    for row in csvdecode(replace(trimprefix(file("${path.module}/semicolon.csv"), "\ufeff"), ";", ",")) : row.key => {
      assessment         = row.assessment
      on_refused_removal = try(coalesce(row.on_refused_removal), null)
      packages = row.packages == "" && row.select == "" ? null : {
        ids    = row.packages == "" ? null : split(" ", row.packages)
        select = row.select == "" ? null : row.select
      }
      benchmark = row.benchmark == "" ? null : { id = row.benchmark }
      profile = row.profile == "" ? null : {
        id = row.profile, on_supervisor_change = row.on_supervisor_change == "" ? null : row.on_supervisor_change
      }
      tests = row.tests == "" ? null : { ids = split(" ", row.tests) }
    }
  }
}

# merge and null in conditionals.
module "merge" {
  source      = "./modules/objects"
  position_id = "pos-merge"
  activations = local.activations
  assessments = {
    for key, wanted in local.set : key => merge(
      { packages = null, benchmark = null, profile = null, tests = null, on_refused_removal = null },
      { for name, value in wanted : name => value if value != null },
      var.nothing == null ? {} : { tests = null },
    )
  }
}

# Values that are not known before the apply.
resource "terraform_data" "position" {
  input = "pos-later"
}

resource "terraform_data" "values" {
  for_each = local.values
  input    = each.key
}

locals {
  later = { for value, data in terraform_data.values : value => data.output }
}

module "later" {
  source      = "./modules/objects"
  position_id = terraform_data.position.output
  assessments = {
    for key, wanted in local.set : key => {
      assessment         = local.later[wanted.assessment]
      on_refused_removal = wanted.on_refused_removal
      packages = wanted.packages == null ? null : {
        ids    = wanted.packages.ids == null ? null : [for id in wanted.packages.ids : local.later[id]]
        select = wanted.packages.select == null ? null : local.later[wanted.packages.select]
      }
      benchmark = wanted.benchmark == null ? null : { id = local.later[wanted.benchmark.id] }
      profile   = wanted.profile == null ? null : merge(wanted.profile, { id = local.later[wanted.profile.id] })
      tests     = wanted.tests == null ? null : { ids = [for id in wanted.tests.ids : local.later[id]] }
    }
  }
  activations = {}
  depends_on  = [assess_skills_test_activation.all]
}

# Names that another module resolves.
module "names" {
  source         = "./modules/names"
  position_title = "Title of pos-named"
}

module "named" {
  source      = "./modules/objects"
  position_id = module.names.position_id
  activations = local.activations
  assessments = {
    for key, wanted in local.set : key => merge(wanted, {
      assessment = module.names.assessments[local.codes[wanted.assessment]]
      packages = wanted.packages == null ? null : merge(wanted.packages, {
        ids = wanted.packages.ids == null ? null : [for id in wanted.packages.ids : module.names.packages[local.names[id]]]
      })
      benchmark = wanted.benchmark == null ? null : {
        id = module.names.benchmarks["${wanted.assessment} ${local.names[wanted.benchmark.id]}"]
      }
      profile = wanted.profile == null ? null : merge(wanted.profile, { id = module.names.profiles[local.names[wanted.profile.id]] })
      tests   = wanted.tests == null ? null : { ids = [for id in wanted.tests.ids : module.names.tests[local.names[id]]] }
    })
  }
}

# The same names for another position: only the position is unknown, because it depends on what another module attaches.
resource "terraform_data" "after" {
  input = length(module.json.ids) > 0 ? "pos-output" : "pos-nowhere"
}

module "output" {
  source      = "./modules/flat"
  position_id = terraform_data.after.output
  activations = local.activations
  assessments = [for key, wanted in local.set : {
    assessment           = wanted.assessment
    on_refused_removal   = wanted.on_refused_removal
    packages             = try(tolist(wanted.packages.ids), null)
    select               = try(wanted.packages.select, null)
    benchmark            = try(wanted.benchmark.id, null)
    profile              = try(wanted.profile.id, null)
    on_supervisor_change = try(wanted.profile.on_supervisor_change, null)
    tests                = try(tolist(wanted.tests.ids), [])
  }]
}

# for_each over objects of different types, without a module.
resource "assess_position_assessment" "objects" {
  for_each           = local.sparse
  position_id        = "pos-objects"
  assessment_id      = each.value.assessment
  on_refused_removal = try(each.value.on_refused_removal, null)

  dynamic "packages" {
    for_each = try([each.value.packages], [])
    content {
      ids    = try(packages.value.ids, null)
      select = try(packages.value.select, null)
    }
  }
  dynamic "benchmark" {
    for_each = contains(keys(each.value), "benchmark") ? { (each.value.benchmark.id) = true } : {}
    content {
      id = benchmark.key
    }
  }
  dynamic "profile" {
    for_each = can(each.value.profile) ? [each.value.profile] : []
    iterator = wanted
    content {
      id                   = wanted.value.id
      on_supervisor_change = lookup(wanted.value, "on_supervisor_change", null)
    }
  }
  dynamic "tests" {
    for_each = [for name, value in each.value : value if name == "tests"]
    content {
      ids = toset([for id in tests.value.ids : lookup(local.activations, id, id)])
    }
  }
}
