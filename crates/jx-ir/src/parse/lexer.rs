//! Tokens of the text form. Lexing never fails: what is no token is one of its own, for the parser to refuse.

/// A token: what it is, and the bytes of the text that it covers.
#[derive(Clone, Copy)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind<'a>,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The kinds of token.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind<'a> {
    /// `%x`, without the sign.
    Var(&'a str),
    /// `mul`, `f32`, `_`.
    Word(&'a str),
    /// `3`, `-2.5e-3`, `0x7fc0`, `-inf`.
    Number(&'a str),
    /// What stands between quotes, escapes as written.
    Quoted(&'a str),
    OpenParen,
    CloseParen,
    OpenBracket,
    CloseBracket,
    OpenBrace,
    CloseBrace,
    Comma,
    Colon,
    Semicolon,
    Equals,
    Arrow,
    /// The end of the text.
    End,
    /// A quote that is never closed.
    OpenQuote,
    /// A character that starts no token.
    Stray(char),
}

/// Reads tokens from a text, comments and white space left out.
#[derive(Clone)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Lexer<'a> {
        Lexer { text, at: 0 }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Takes the characters for which `accept` holds.
    fn take_while(&mut self, mut accept: impl FnMut(char) -> bool) {
        let rest = self.rest();
        self.at += rest.find(|c| !accept(c)).unwrap_or(rest.len());
    }

    fn skip_blanks(&mut self) {
        loop {
            self.take_while(char::is_whitespace);
            if !self.rest().starts_with("//") {
                return;
            }
            self.take_while(|c| c != '\n');
        }
    }

    /// The next token; [`Kind::End`] from the end on.
    pub(super) fn next(&mut self) -> Token<'a> {
        self.skip_blanks();
        let start = self.at;
        let mut chars = self.rest().chars();
        let Some(first) = chars.next() else {
            return Token { kind: Kind::End, start, end: start };
        };
        let second = chars.next();
        self.at += first.len_utf8();
        let kind = match first {
            '(' => Kind::OpenParen,
            ')' => Kind::CloseParen,
            '[' => Kind::OpenBracket,
            ']' => Kind::CloseBracket,
            '{' => Kind::OpenBrace,
            '}' => Kind::CloseBrace,
            ',' => Kind::Comma,
            ':' => Kind::Colon,
            ';' => Kind::Semicolon,
            '=' => Kind::Equals,
            '-' if second == Some('>') => {
                self.at += 1;
                Kind::Arrow
            }
            '%' if second.is_some_and(is_name) => {
                self.take_while(is_name);
                Kind::Var(&self.text[start + 1..self.at])
            }
            '"' => self.quoted(start),
            '0'..='9' | '.' => self.number(start),
            '-' | '+' if second.is_some_and(|c| c.is_ascii_alphanumeric() || c == '.') => self.number(start),
            c if is_name(c) => {
                self.take_while(is_name);
                Kind::Word(&self.text[start..self.at])
            }
            c => Kind::Stray(c),
        };
        Token { kind, start, end: self.at }
    }

    /// The rest of a number. A sign belongs to it after the `e` of a decimal exponent only.
    fn number(&mut self, start: usize) -> Kind<'a> {
        let text = self.text;
        let mut previous = '0';
        self.take_while(|c| {
            let exponent_sign = matches!(c, '+' | '-') && matches!(previous, 'e' | 'E');
            previous = c;
            is_name(c) || c == '.' || exponent_sign
        });
        Kind::Number(&text[start..self.at])
    }

    fn quoted(&mut self, start: usize) -> Kind<'a> {
        let mut escaped = false;
        self.take_while(|c| {
            let ends = (c == '"' && !escaped) || c == '\n';
            escaped = c == '\\' && !escaped;
            !ends
        });
        if !self.rest().starts_with('"') {
            return Kind::OpenQuote;
        }
        self.at += 1;
        Kind::Quoted(&self.text[start + 1..self.at - 1])
    }
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The text that a quoted token stands for: `\"`, `\\` and `\u{…}` undone. `None` for another escape.
pub(super) fn unquote(raw: &str) -> Option<String> {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(tail) = rest.strip_prefix("u{") {
            let (hex, tail) = tail.split_once('}')?;
            text.push(char::from_u32(u32::from_str_radix(hex, 16).ok()?)?);
            rest = tail;
        } else {
            let c = rest.chars().next().filter(|&c| c == '"' || c == '\\')?;
            text.push(c);
            rest = &rest[1..];
        }
    }
    text.push_str(rest);
    Some(text)
}
