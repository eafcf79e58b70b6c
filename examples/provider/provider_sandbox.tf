provider "assess" {
  sandbox {} # the sandbox stores its data in assess-sandbox.json
}
