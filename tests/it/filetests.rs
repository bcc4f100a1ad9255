//! The `.jx` files under `testdata/programs`: a command, a program, what comes out.
//!
//! ```text
//! // test: vmap in_axes=[1, _] out_axes=[0] size=4 | simplify
//! func(%0: f32[3], %1: f32[3]) { %2 = mul %0 %1; return %2 }
//! // expect:
//! // func(%0: f32[3,4], ...
//! ```
//!
//! Commands: `print`, `expand`, `simplify`, `vmap`, `grad`, `jvp`, `vjp`, `linearize`, `transpose`,
//! `eval`. Several are run one after the other, divided by `|`. `// input: f32[2]{1.0, 2.0}` lines give
//! `eval` its inputs. A file that must fail has `// error: part of the message` in place of `// expect:`.
//! `JX_BLESS=1` rewrites what is expected; read it before you commit it.

use jx_ir::{Array, Builder, Func, Prim, TensorType, eval, verify};
use jx_testkit::laws::literal;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const EXPECT: &str = "// expect:";
const ERROR: &str = "// error:";

/// The files of the folder and those below, in order of name.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|why| panic!("{}: {why}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|e| e.expect("a folder entry").path()).collect();
    paths.sort();
    let below = |path: PathBuf| if path.is_dir() { files(&path) } else { vec![path] };
    paths.into_iter().flat_map(below).filter(|path| path.extension().is_some_and(|e| e == "jx")).collect()
}

/// A command and its settings: `vmap`, then `in_axes` and so on.
struct Command<'a> {
    name: &'a str,
    settings: Vec<(&'a str, &'a str)>,
}

impl<'a> Command<'a> {
    fn parse(text: &'a str) -> Result<Command<'a>, String> {
        let text = text.trim();
        let (name, mut rest) = text.split_once(' ').unwrap_or((text, ""));
        let mut settings = Vec::new();
        while let Some((key, after)) = rest.trim_start().split_once('=') {
            let end = if after.starts_with('[') { after.find(']').map(|i| i + 1) } else { after.find(' ') };
            let (value, tail) = after.split_at(end.unwrap_or(after.len()));
            settings.push((key, value));
            rest = tail;
        }
        if rest.trim().is_empty() { Ok(Command { name, settings }) } else { Err(format!("stray `{rest}`")) }
    }

    fn get(&self, key: &str) -> Option<&'a str> {
        self.settings.iter().find(|(k, _)| *k == key).map(|&(_, value)| value)
    }

    fn number(&self, key: &str) -> Result<usize, String> {
        let value = self.get(key).ok_or(format!("`{}` needs {key}", self.name))?;
        value.parse().map_err(|_| format!("{key}={value} is no number"))
    }

    fn axes(&self, key: &str) -> Result<Vec<Option<usize>>, String> {
        let value = self.get(key).ok_or(format!("`{}` needs {key}", self.name))?;
        let list = value.trim_matches(['[', ']']);
        let entry = |word: &str| match word.trim() {
            "_" => Ok(None),
            word => word.parse().map(Some).map_err(|_| format!("{key}={value} is no list of axes")),
        };
        list.split(',').filter(|w| !w.trim().is_empty()).map(entry).collect()
    }

    fn wrt(&self) -> Result<Vec<usize>, String> {
        let axes = self.axes("wrt")?;
        axes.into_iter().map(|a| a.ok_or("wrt has no `_`".to_owned())).collect()
    }
}

/// What a command makes: a program, or the last word.
enum Product {
    Func(Func),
    Text(String),
}

/// The program that is one node around `func`, of inputs of these types.
fn node(types: &[TensorType], prim: Prim) -> Result<Func, String> {
    let (mut b, vars) = Builder::with_inputs(types);
    let results = b.try_emit(prim, &vars).map_err(|why| why.to_string())?;
    Ok(b.finish(&results))
}

fn expanded(func: &Func) -> Result<Product, String> {
    jx_opt::expand(func).map(Product::Func).map_err(|why| why.to_string())
}

fn run(command: &Command, func: &Func, inputs: &[Array]) -> Result<Product, String> {
    let nested = || Arc::new(func.clone());
    match command.name {
        "print" => Ok(Product::Func(func.clone())),
        "expand" => expanded(func),
        "simplify" => Ok(Product::Func(jx_opt::simplify(func))),
        "vmap" => {
            let (in_axes, out_axes) = (command.axes("in_axes")?, command.axes("out_axes")?);
            let size = command.number("size")?;
            let mut types = func.input_types().to_vec();
            for (ty, axis) in types.iter_mut().zip(&in_axes) {
                if let Some(axis) = *axis
                    && axis <= ty.rank()
                {
                    ty.shape.insert(axis, size);
                }
            }
            expanded(&node(&types, Prim::Vmap { func: nested(), in_axes, out_axes, size })?)
        }
        "grad" => {
            let value = command.get("value") == Some("true");
            expanded(&node(func.input_types(), Prim::Grad { func: nested(), wrt: command.wrt()?, value })?)
        }
        "jvp" => {
            let wrt = command.wrt()?;
            let tangents = wrt.iter().filter_map(|&i| func.input_types().get(i));
            let types: Vec<TensorType> = func.input_types().iter().chain(tangents).cloned().collect();
            expanded(&node(&types, Prim::Jvp { func: nested(), wrt })?)
        }
        "vjp" => jx_opt::vjp(func, &command.wrt()?).map(Product::Func).map_err(|why| why.to_string()),
        "linearize" => {
            let parts = jx_opt::linearize(func, &command.wrt()?).map_err(|why| why.to_string())?;
            for part in [&parts.primal, &parts.linear] {
                verify(part).map_err(|why| format!("ill formed: {why}"))?;
            }
            Ok(Product::Text(format!("primal: {}\nlinear: {}", parts.primal, parts.linear)))
        }
        "transpose" => {
            let n_known = command.number("n_known")?;
            jx_opt::transpose(func, n_known).map(Product::Func).map_err(|why| why.to_string())
        }
        "eval" => {
            let func = jx_opt::expand(func).map_err(|why| why.to_string())?;
            let results = eval(&func, inputs).map_err(|why| why.to_string())?;
            Ok(Product::Text(results.iter().map(literal).collect::<Vec<_>>().join("\n")))
        }
        name => Err(format!("there is no command `{name}`")),
    }
}

/// The array that a literal denotes, read as a constant of a program.
fn array(text: &str) -> Result<Array, String> {
    let program = format!("func() {{ %0 = constant[value={text}]; return %0 }}");
    let func: Func = program.parse().map_err(|why| format!("the input {text}: {why}"))?;
    let results = eval(&func, &[]).map_err(|why| why.to_string())?;
    results.into_iter().next().ok_or("an input is one array".to_owned())
}

/// What the file's commands make of its program, as text.
fn outcome(text: &str) -> Result<String, String> {
    let first = text.lines().next().unwrap_or_default();
    let commands = first.strip_prefix("// test:").ok_or("the first line must be `// test: COMMAND`")?;
    let source = text.split(EXPECT).next().unwrap_or_default();
    let literals = source.lines().filter_map(|line| line.strip_prefix("// input:"));
    let inputs: Vec<Array> = literals.map(array).collect::<Result<_, _>>()?;
    let mut func: Func = source.parse().map_err(|why: jx_ir::ParseError| why.to_string())?;
    for command in commands.split('|') {
        match run(&Command::parse(command)?, &func, &inputs)? {
            Product::Func(made) => {
                verify(&made).map_err(|why| format!("ill formed: {why}\n{made}"))?;
                func = made;
            }
            Product::Text(text) => return Ok(text),
        }
    }
    Ok(func.to_string())
}

/// The text as the lines of a comment.
fn commented(text: &str) -> String {
    text.lines().map(|line| format!("// {line}").trim_end().to_owned() + "\n").collect()
}

/// Whether the file's outcome is what it expects; if not, how it differs. With `bless`, the file is
/// rewritten instead.
fn check(path: &Path, bless: bool) -> Result<(), String> {
    let text = fs::read_to_string(path).map_err(|why| why.to_string())?;
    let outcome = outcome(&text);
    if let Some(wanted) = text.lines().find_map(|line| line.strip_prefix(ERROR)) {
        return match outcome {
            Err(message) if message.contains(wanted.trim()) => Ok(()),
            Err(message) => Err(format!("the error should contain `{}`, but is\n{message}", wanted.trim())),
            Ok(made) => Err(format!("an error with `{}` was expected, but it makes\n{made}", wanted.trim())),
        };
    }
    let got = commented(&outcome?);
    let (source, want) = text.split_once(EXPECT).unwrap_or((&text, ""));
    if want.trim() == got.trim() {
        return Ok(());
    }
    if bless {
        let blessed = format!("{}\n{EXPECT}\n{got}", source.trim_end());
        return fs::write(path, blessed).map_err(|why| why.to_string());
    }
    Err(difference(want.trim(), got.trim()))
}

/// The lines that differ, wanted ones after `-` and those that came after `+`, and their neighbours.
fn difference(want: &str, got: &str) -> String {
    let (want, got): (Vec<&str>, Vec<&str>) = (want.lines().collect(), got.lines().collect());
    let start = want.iter().zip(&got).take_while(|(w, g)| w == g).count();
    let pairs = want[start..].iter().rev().zip(got[start..].iter().rev());
    let end = pairs.take_while(|(w, g)| w == g).count();
    let mark = |mark: &'static str| move |line: &&str| format!("{mark} {line}");
    let around = |lines: &[&str]| lines.iter().map(mark(" ")).collect::<Vec<_>>();
    let mut all = around(&want[start.saturating_sub(2)..start]);
    all.extend(want[start..want.len() - end].iter().map(mark("-")));
    all.extend(got[start..got.len() - end].iter().map(mark("+")));
    all.extend(around(&want[want.len() - end..(want.len() - end + 2).min(want.len())]));
    all.join("\n")
}

#[test]
fn every_program_file_gives_what_it_expects() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/programs");
    let bless = std::env::var_os("JX_BLESS").is_some_and(|v| v == "1");
    let files = files(&folder);
    assert!(files.len() >= 25, "only {} files in {}", files.len(), folder.display());
    let failures: Vec<String> = files
        .iter()
        .filter_map(|path| {
            let why = check(path, bless).err()?;
            Some(format!("{}:\n{why}\n", path.strip_prefix(&folder).unwrap_or(path).display()))
        })
        .collect();
    let advice = "JX_BLESS=1 rewrites the expectations";
    assert!(
        failures.is_empty(),
        "{} of {} files differ; {advice}\n\n{}",
        failures.len(),
        files.len(),
        failures.join("\n")
    );
}

#[test]
fn a_difference_shows_the_lines_that_changed() {
    let shown = difference("a\nb\nc\nd\ne", "a\nb\nx\nd\ne");
    assert_eq!(shown, "  a\n  b\n- c\n+ x\n  d\n  e");
}
