//! Tokens of source files. Lexing never fails: what is no token is one of its own, for the parser to refuse.

/// A token: what it is, and the bytes of the text that it covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind<'a>,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The kinds of token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind<'a> {
    /// `x`, `f32`, `let`.
    Word(&'a str),
    /// `3`, `2.5`, `1e-3`, `0xff`; without a sign.
    Number(&'a str),
    /// What stands between double quotes.
    Text(&'a str),
    /// An operator or a mark: `+`, `==`, `(`.
    Mark(&'static str),
    /// The end of the text.
    End,
    /// A quote that is never closed.
    OpenText,
    /// A character that starts no token.
    Stray(char),
}

/// Marks, longer ones before those that they begin with.
const MARKS: [&str; 32] = [
    "==", "!=", "<=", ">=", "&&", "||", "->", "(", ")", "[", "]", "{", "}", ",", ":", ";", "=", "+", "-", "*", "/",
    "%", "@", "^", "<", ">", "!", "&", "|", ".", "~", "?",
];

/// All tokens of a text, the end last; white space and comments (`//` to the end of the line) are left out.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    loop {
        at += blank_length(&text[at..]);
        // After an operand a dot takes a part, as in `t.0`; elsewhere it may begin a number, as in `.5`.
        let after_operand = tokens.last().is_some_and(|t: &Token<'_>| {
            t.end == at && matches!(t.kind, Kind::Word(_) | Kind::Number(_) | Kind::Mark(")" | "]" | "}"))
        });
        let (kind, length) =
            if after_operand && text[at..].starts_with('.') { (Kind::Mark("."), 1) } else { token(&text[at..]) };
        tokens.push(Token { kind, start: at, end: at + length });
        at += length;
        if kind == Kind::End {
            return tokens;
        }
    }
}

/// How many characters the first token of `text` has.
pub(super) fn token_width(text: &str) -> usize {
    let (_, length) = token(text);
    text[..length].chars().count()
}

fn blank_length(text: &str) -> usize {
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        if !rest.starts_with("//") {
            return text.len() - rest.len();
        }
        rest = rest.find('\n').map_or("", |i| &rest[i..]);
    }
}

/// The token that `text` starts with, and its length in bytes.
fn token(text: &str) -> (Kind<'_>, usize) {
    let Some(first) = text.chars().next() else { return (Kind::End, 0) };
    if first.is_alphabetic() || first == '_' {
        let n = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
        return (Kind::Word(&text[..n]), n);
    }
    if first.is_ascii_digit() || (first == '.' && text[1..].starts_with(|c: char| c.is_ascii_digit())) {
        let n = number_length(text);
        return (Kind::Number(&text[..n]), n);
    }
    if first == '"' {
        return match text[1..].find(['"', '\n']) {
            Some(i) if text[1 + i..].starts_with('"') => (Kind::Text(&text[1..1 + i]), i + 2),
            Some(_) | None => (Kind::OpenText, 1),
        };
    }
    match MARKS.iter().find(|mark| text.starts_with(**mark)) {
        Some(mark) => (Kind::Mark(mark), mark.len()),
        None => (Kind::Stray(first), first.len_utf8()),
    }
}

fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit() || **b == b'_').count();
    if text.starts_with("0x") {
        return 2 + bytes[2..].iter().take_while(|b| b.is_ascii_hexdigit() || **b == b'_').count();
    }
    let mut n = digits(0);
    // A dot that a name follows takes a part, as in `0.w`; one that a digit or nothing follows is a decimal point.
    if bytes.get(n) == Some(&b'.') && !text[n + 1..].starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '.') {
        n += 1;
        n += digits(n);
    }
    if let Some(b'e' | b'E') = bytes.get(n) {
        let sign = usize::from(matches!(bytes.get(n + 1), Some(b'+' | b'-')));
        let exponent = digits(n + 1 + sign);
        if exponent > 0 {
            n += 1 + sign + exponent;
        }
    }
    n
}
