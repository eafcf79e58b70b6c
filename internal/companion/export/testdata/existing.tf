# Quartet Games on Backend Engineer, London
import {
  to = assess_position_assessment.backend_engineer_london_qrt
  id = "p%2F1/a1"
}

resource "assess_position_assessment" "backend_engineer_london_qrt" {
  position_id   = "p/1"
  assessment_id = "asm-quartet"

  packages {
    ids = ["pkg-problem-solving", "pkg-numerical-reasoning"]
  }

  benchmark {
    id = "bmk-quartet-engineers-en-gb"
  }
}

# Workbench Skills on Backend Engineer, London
import {
  to = assess_position_assessment.backend_engineer_london_wbn
  id = "p%2F1/a2"
}

resource "assess_position_assessment" "backend_engineer_london_wbn" {
  position_id   = "p/1"
  assessment_id = "asm-workbench"

  tests {
    ids = ["skt-sql"]
  }
}

# Northlight Values Inventory on Backend Engineer, London
import {
  to = assess_position_assessment.backend_engineer_london_nlv
  id = "p%2F1/a3"
}

resource "assess_position_assessment" "backend_engineer_london_nlv" {
  position_id   = "p/1"
  assessment_id = "asm-northlight"

  profile {
    id = "prf-curious-builders"
  }
}

# Terrain Work Preferences on Backend Engineer, London
# Attention: A supervisor has completed its profile, so no profile is written. Removing the assessment deletes that work.
import {
  to = assess_position_assessment.backend_engineer_london_trn
  id = "p%2F1/a4"
}

resource "assess_position_assessment" "backend_engineer_london_trn" {
  position_id   = "p/1"
  assessment_id = "asm-terrain"
}

# Quartet Games on Backend Engineer, London
# Attention: The position has this assessment already, as backend_engineer_london_qrt. Results do not tell the two apart, so keep only one of them.
import {
  to = assess_position_assessment.backend_engineer_london_qrt_2
  id = "p%2F1/a5"
}

resource "assess_position_assessment" "backend_engineer_london_qrt_2" {
  position_id   = "p/1"
  assessment_id = "asm-quartet"
}

# Facet Behavioural Profile on Twice (p2)
import {
  to = assess_position_assessment.twice_fct
  id = "p2/b1"
}

resource "assess_position_assessment" "twice_fct" {
  position_id   = "p2"
  assessment_id = "asm-facet"
}

# Facet Behavioural Profile on Twice (p3)
import {
  to = assess_position_assessment.twice_fct_2
  id = "p3/c1"
}

resource "assess_position_assessment" "twice_fct_2" {
  position_id   = "p3"
  assessment_id = "asm-facet"
}

# Facet Behavioural Profile on =1+1
import {
  to = assess_position_assessment.p4_fct
  id = "p4/d1"
}

resource "assess_position_assessment" "p4_fct" {
  position_id   = "p4"
  assessment_id = "asm-facet"
}

# Workbench Skills on Backend Engineer – London
# Attention: The test "Rust Programming" (skt-rust) is no longer enabled.
import {
  to = assess_position_assessment.backend_engineer_london_wbn_2
  id = "p5/e1"
}

resource "assess_position_assessment" "backend_engineer_london_wbn_2" {
  position_id   = "p5"
  assessment_id = "asm-workbench"

  tests {
    ids = ["skt-rust"]
  }
}

# asm-retired on Backend Engineer – London
import {
  to = assess_position_assessment.backend_engineer_london_asm_retired
  id = "p5/e2"
}

resource "assess_position_assessment" "backend_engineer_london_asm_retired" {
  position_id   = "p5"
  assessment_id = "asm-retired"
}

# Lumen Ability Test on Backend Engineer – London
import {
  to = assess_position_assessment.backend_engineer_london_lmn
  id = "p5/e3"
}

resource "assess_position_assessment" "backend_engineer_london_lmn" {
  position_id   = "p5"
  assessment_id = "asm-lumen"

  benchmark {
    id = "b$${1}"
  }
}

# Facet Behavioural Profile on 2. 後端工程師 " }
import {
  to = assess_position_assessment.p6_fct
  id = "p6/f1"
}

resource "assess_position_assessment" "p6_fct" {
  position_id   = "p6"
  assessment_id = "asm-facet"
}

