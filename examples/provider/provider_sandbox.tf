provider "assess" {
  sandbox {} # its data lies in assess-sandbox.json, in the working directory
}
