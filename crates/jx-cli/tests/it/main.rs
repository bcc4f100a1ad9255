//! The command `jx` as a user meets it: output, messages and exit codes of the built binary.

mod bad_input;
mod data;
mod seeds;
mod show;

use std::path::{Path, PathBuf};
use std::process::Command;

/// What a run of the command gave.
struct Ran {
    stdout: String,
    stderr: String,
    code: Option<i32>,
}

impl Ran {
    /// Everything in one text, the exit code last.
    fn text(&self) -> String {
        let code = self.code.map_or("none".to_owned(), |c| c.to_string());
        format!("{}{}exit code {code}\n", self.stdout, self.stderr)
    }
}

/// Runs `jx` in a folder.
fn jx(folder: &Path, args: &[&str]) -> Ran {
    let output = Command::new(env!("CARGO_BIN_EXE_jx")).current_dir(folder).args(args).output().expect("jx starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("jx prints UTF-8");
    Ran { stdout: text(output.stdout), stderr: text(output.stderr), code: output.status.code() }
}

/// The root of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A folder of a test's own with these files in it.
fn folder(test: &str, files: &[(&str, &[u8])]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    for (name, bytes) in files {
        std::fs::write(folder.join(name), bytes).expect("the file can be written");
    }
    folder
}

/// The bytes of a `.npy` file.
fn npy(descr: &str, fortran: bool, shape: &str, values: &[u8]) -> Vec<u8> {
    let fortran = if fortran { "True" } else { "False" };
    let header = format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n");
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend(u16::try_from(header.len()).expect("the header is short").to_le_bytes());
    file.extend(header.as_bytes());
    file.extend(values);
    file
}
