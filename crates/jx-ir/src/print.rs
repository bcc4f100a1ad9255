//! The text form of programs, written. [`parse`](crate::parse) has the grammar and reads it back.

use crate::{Array, Eqn, Func, Loc, Param, TensorType, Var};
use std::fmt::{self, Display, Formatter, Write};

/// How a program is printed.
#[derive(Clone, Copy)]
pub(crate) struct Style {
    /// Each equation is followed by the place where it was written.
    origins: bool,
    /// Nested programs and long constants are cut to `…`; such text is for messages, not to be read back.
    elide: bool,
}

impl Style {
    pub(crate) const PLAIN: Style = Style { origins: false, elide: false };
    const ORIGINS: Style = Style { origins: true, elide: false };
    pub(crate) const ELIDED: Style = Style { origins: false, elide: true };
}

/// How many elements of an array a message shows.
const SHOWN: usize = 8;

impl Display for Func {
    /// The text form, which [`str::parse`] reads back to an equal program.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_program(f, self, Style::PLAIN)
    }
}

impl Func {
    /// The text form with the source place of each equation after it, as a comment.
    #[must_use]
    pub fn display_with_origins(&self) -> impl Display + '_ {
        fmt::from_fn(|f| write_program(f, self, Style::ORIGINS))
    }

    /// One equation in text form, long parameters cut short.
    ///
    /// # Panics
    /// On display, if there is no equation of that index.
    #[must_use]
    pub fn display_eqn(&self, eqn_idx: usize) -> impl Display + '_ {
        fmt::from_fn(move |f| write_eqn(f, &self.eqns()[eqn_idx], self.types(), 0, Style::ELIDED))
    }
}

fn write_program(f: &mut Formatter<'_>, func: &Func, style: Style) -> fmt::Result {
    f.write_str(if func.name().is_some() { "func " } else { "func" })?;
    write_func(f, func, 0, style)
}

/// What follows the word `func`: name, inputs, result types, body.
fn write_func(f: &mut Formatter<'_>, func: &Func, indent: usize, style: Style) -> fmt::Result {
    if let Some(name) = func.name() {
        write_name(f, name)?;
    }
    f.write_char('(')?;
    separated(f, ", ", func.inputs().zip(func.input_types()), |f, (var, ty)| write!(f, "{var}: {ty}"))?;
    f.write_str(") -> (")?;
    separated(f, ", ", func.output_types(), |f, ty| write!(f, "{ty}"))?;
    f.write_str(") {\n")?;
    for eqn in func.eqns() {
        write_indent(f, indent + 2)?;
        write_eqn(f, eqn, func.types(), indent + 2, style)?;
        f.write_char('\n')?;
    }
    write_indent(f, indent + 2)?;
    f.write_str("return")?;
    for var in func.outputs() {
        write!(f, " {var}")?;
    }
    f.write_char('\n')?;
    write_indent(f, indent)?;
    f.write_char('}')
}

/// One equation. It need not be well formed: a variable without a type prints `?` for it.
pub(crate) fn write_eqn(
    f: &mut Formatter<'_>,
    eqn: &Eqn,
    types: &[TensorType],
    indent: usize,
    style: Style,
) -> fmt::Result {
    let result = |f: &mut Formatter<'_>, var: &Var| match types.get(var.index()) {
        Some(ty) => write!(f, "{var}: {ty}"),
        None => write!(f, "{var}: ?"),
    };
    separated(f, ", ", &eqn.outputs, result)?;
    if !eqn.outputs.is_empty() {
        f.write_str(" = ")?;
    }
    f.write_str(eqn.prim.name())?;
    let params = eqn.prim.params();
    if !params.is_empty() {
        f.write_char('[')?;
        separated(f, ", ", &params, |f, (name, value)| {
            write!(f, "{name}=")?;
            write_param(f, value, indent, style)
        })?;
        f.write_char(']')?;
    }
    for var in &eqn.inputs {
        write!(f, " {var}")?;
    }
    match &eqn.origin.0 {
        Some(loc) if style.origins => write_origin(f, loc),
        Some(_) | None => Ok(()),
    }
}

pub(crate) fn write_param(f: &mut Formatter<'_>, param: &Param, indent: usize, style: Style) -> fmt::Result {
    match param {
        Param::Bool(flag) => write!(f, "{flag}"),
        Param::Int(n) => write!(f, "{n}"),
        Param::Ints(list) => {
            f.write_char('[')?;
            separated(f, ", ", list, |f, n| match n {
                Some(n) => write!(f, "{n}"),
                None => f.write_char('_'),
            })?;
            f.write_char(']')
        }
        Param::Scalar(value) => write!(f, "{value}:{}", value.dtype()),
        Param::DType(dtype) => write!(f, "{dtype}"),
        Param::Type(ty) => write!(f, "{ty}"),
        Param::Array(array) => write_array(f, array, style),
        Param::Word(word) => f.write_str(word),
        Param::Func(func) if style.elide => {
            if let Some(name) = func.name() {
                write_name(f, name)?;
            }
            f.write_str("(…) {…}")
        }
        Param::Func(func) => write_func(f, func, indent, style),
    }
}

/// A parameter as a message shows it, long ones cut short.
pub(crate) fn short_param(param: &Param) -> String {
    fmt::from_fn(|f| write_param(f, param, 0, Style::ELIDED)).to_string()
}

/// The type and the elements in row-major order. The list is flat: the type has the shape, and empty
/// axes need no case of their own.
fn write_array(f: &mut Formatter<'_>, array: &Array, style: Style) -> fmt::Result {
    let shown = if style.elide { SHOWN } else { usize::MAX };
    write!(f, "{}{{", array.ty())?;
    separated(f, ", ", array.scalars().take(shown), |f, value| write!(f, "{value}"))?;
    if array.n_elements() > shown {
        f.write_str(", …")?;
    }
    f.write_char('}')
}

/// The name as it is if it is an identifier, else in quotes.
fn write_name(f: &mut Formatter<'_>, name: &str) -> fmt::Result {
    let is_identifier = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    if is_identifier {
        return f.write_str(name);
    }
    f.write_char('"')?;
    for c in name.chars() {
        match c {
            '"' | '\\' => write!(f, "\\{c}")?,
            c => write_visible(f, c)?,
        }
    }
    f.write_char('"')
}

/// A comment, so a file's name must not end it: control characters are escaped.
fn write_origin(f: &mut Formatter<'_>, loc: &Loc) -> fmt::Result {
    f.write_str("  // ")?;
    loc.file.chars().try_for_each(|c| write_visible(f, c))?;
    write!(f, ":{}:{}", loc.line, loc.column)
}

/// The character, or its escape if it is one that moves the cursor or is not seen.
fn write_visible(f: &mut Formatter<'_>, c: char) -> fmt::Result {
    if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') {
        write!(f, "\\u{{{:x}}}", u32::from(c))
    } else {
        f.write_char(c)
    }
}

fn write_indent(f: &mut Formatter<'_>, indent: usize) -> fmt::Result {
    write!(f, "{:indent$}", "")
}

fn separated<T>(
    f: &mut Formatter<'_>,
    separator: &str,
    items: impl IntoIterator<Item = T>,
    mut write_item: impl FnMut(&mut Formatter<'_>, T) -> fmt::Result,
) -> fmt::Result {
    for (i, item) in items.into_iter().enumerate() {
        if i > 0 {
            f.write_str(separator)?;
        }
        write_item(f, item)?;
    }
    Ok(())
}
