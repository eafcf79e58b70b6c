provider "assess" {}
