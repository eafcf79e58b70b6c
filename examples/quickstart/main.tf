# This configuration shows each resource and each block of the provider. It uses the
# sandbox. README.md says how to use the real service.

terraform {
  required_version = ">= 1.9"

  required_providers {
    assess = {
      source  = "assessascode/assess"
      version = "~> 0.1.0"
    }
  }
}

provider "assess" {
  sandbox {}
}

# These data sources find positions by title, and assessments by code.

data "assess_position" "backend" {
  title = "Backend Engineer, London"
}

data "assess_position" "controlling" {
  title = "Controller (m/w/d), Hamburg"
}

data "assess_assessment" "by_code" {
  for_each = toset(["QRT", "LMN", "NLV", "TRN", "WBN", "KST", "TLY"])
  code     = each.key
}

# These data sources find the options of an assessment: packages, benchmarks, profiles
# and skills tests.

data "assess_assessment_options" "backend" {
  for_each      = data.assess_assessment.by_code
  assessment_id = each.value.id
  locale        = data.assess_position.backend.locale
}

data "assess_skills_test" "by_title" {
  for_each      = toset(["Go Programming", "SQL Queries", "Linux Administration"])
  assessment_id = data.assess_assessment.by_code["WBN"].id
  title         = each.key
}

data "assess_benchmark" "finance" {
  assessment_id = data.assess_assessment.by_code["TLY"].id
  name          = "Finance"
  locale        = data.assess_position.controlling.locale
}

# The assessments of the position in London.

resource "assess_position_assessment" "games" {
  position_id   = data.assess_position.backend.id
  assessment_id = data.assess_assessment.by_code["QRT"].id
  packages { select = "all" }
  benchmark { id = data.assess_assessment_options.backend["QRT"].benchmarks["Engineers"] }
}

resource "assess_position_assessment" "ability" {
  position_id   = data.assess_position.backend.id
  assessment_id = data.assess_assessment.by_code["LMN"].id
  benchmark { id = data.assess_assessment_options.backend["LMN"].benchmarks["Engineers"] }
}

resource "assess_position_assessment" "values" {
  position_id   = data.assess_position.backend.id
  assessment_id = data.assess_assessment.by_code["NLV"].id
  profile { id = data.assess_assessment_options.backend["NLV"].profiles["Curious builders"] }
}

# This assessment has no profile block. A supervisor completes the profile at the
# address in profile_url.
resource "assess_position_assessment" "preferences" {
  position_id   = data.assess_position.backend.id
  assessment_id = data.assess_assessment.by_code["TRN"].id
}

# The Go test is not enabled yet, so this resource enables it. The position assessment
# below refers to this resource, so it is attached after the test is enabled.
resource "assess_skills_test_activation" "go" {
  assessment_id = data.assess_assessment.by_code["WBN"].id
  test_id       = data.assess_skills_test.by_title["Go Programming"].id
}

resource "assess_position_assessment" "skills" {
  position_id   = data.assess_position.backend.id
  assessment_id = data.assess_assessment.by_code["WBN"].id
  tests {
    ids = [
      assess_skills_test_activation.go.test_id,
      data.assess_skills_test.by_title["SQL Queries"].id,
      data.assess_skills_test.by_title["Linux Administration"].id,
    ]
  }
}

# The assessments of the position in Hamburg, which has another locale. The games have
# only the mandatory packages, and no benchmark.

resource "assess_position_assessment" "controlling_games" {
  position_id   = data.assess_position.controlling.id
  assessment_id = data.assess_assessment.by_code["QRT"].id
  packages { ids = data.assess_assessment_options.backend["QRT"].mandatory_package_ids }
}

resource "assess_position_assessment" "controlling_numbers" {
  position_id   = data.assess_position.controlling.id
  assessment_id = data.assess_assessment.by_code["TLY"].id
  benchmark { id = data.assess_benchmark.finance.id }
}

resource "assess_position_assessment" "controlling_reliability" {
  position_id   = data.assess_position.controlling.id
  assessment_id = data.assess_assessment.by_code["KST"].id
}

output "configured" {
  description = "What each position has now."
  value = {
    (data.assess_position.backend.title) = {
      (data.assess_assessment.by_code["QRT"].name) = "${length(assess_position_assessment.games.packages.ids)} packages, benchmark ${assess_position_assessment.games.benchmark.id}"
      (data.assess_assessment.by_code["LMN"].name) = "benchmark ${assess_position_assessment.ability.benchmark.id}"
      (data.assess_assessment.by_code["NLV"].name) = "${assess_position_assessment.values.profile_status}: ${assess_position_assessment.values.profile.id}"
      (data.assess_assessment.by_code["TRN"].name) = assess_position_assessment.preferences.profile_status
      (data.assess_assessment.by_code["WBN"].name) = join(", ", assess_position_assessment.skills.tests.ids)
    }
    (data.assess_position.controlling.title) = {
      (data.assess_assessment.by_code["QRT"].name) = "${length(assess_position_assessment.controlling_games.packages.ids)} packages"
      (data.assess_assessment.by_code["TLY"].name) = "benchmark ${assess_position_assessment.controlling_numbers.benchmark.id}"
      (data.assess_assessment.by_code["KST"].name) = "no options"
    }
  }
}

output "enabled" {
  description = "Skills tests that this configuration has enabled."
  value       = assess_skills_test_activation.go.title
}
