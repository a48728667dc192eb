//! The scripts of `studies/peers` can be read by the Python here, and say what they do. Their runs need what PyPI and Debian
//! have and take minutes: they are made by hand.

use std::path::Path;
use std::process::Command;

#[test]
fn peer_scripts_compile_and_accept_their_options() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers");
    // No Python, nothing to read them with.
    if Command::new("python3").arg("--version").output().is_err() {
        return;
    }
    for script in ["common", "problem", "peers", "run_akantu", "run_dolfinx", "run_mfem"] {
        let path = folder.join(script).with_extension("py");
        let code = "import ast, sys; ast.parse(open(sys.argv[1]).read())";
        let out = Command::new("python3").args(["-B", "-c", code]).arg(&path).output().unwrap();
        assert!(out.status.success(), "{script}: {}", String::from_utf8_lossy(&out.stderr));
    }
    let out = Command::new("python3").arg("-B").arg(folder.join("peers.py")).arg("--help").output().unwrap();
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(out.status.success() && text.contains("--best-of"), "{text}");
}
