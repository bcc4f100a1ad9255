//! A source text with its name: from byte offsets to places, and from places to lines.

use jx_ir::Loc;
use std::sync::Arc;

/// The text of a source file, or of an expression given beside it.
#[derive(Clone, Debug)]
pub(super) struct SourceText {
    name: Arc<str>,
    text: Arc<str>,
}

impl SourceText {
    pub(super) fn new(name: &str, text: &str) -> SourceText {
        SourceText { name: Arc::from(name), text: Arc::from(text) }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The place of a byte offset; columns count characters.
    pub(super) fn loc(&self, offset: usize) -> Loc {
        let before = &self.text[..offset.min(self.text.len())];
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        let line = before.matches('\n').count() as u32 + 1;
        let column = before[line_start..].chars().count() as u32 + 1;
        Loc { file: self.name.clone(), line, column }
    }

    /// The line of a place, tabs as single spaces, and the width of the token there.
    pub(super) fn excerpt(&self, loc: &Loc) -> Option<(String, usize)> {
        let line = self.text.lines().nth(loc.line.checked_sub(1)? as usize)?;
        let from = line.char_indices().nth(loc.column.checked_sub(1)? as usize).map_or(line.len(), |(i, _)| i);
        let width = super::lexer::token_width(&line[from..]);
        Some((line.replace('\t', " "), width.max(1)))
    }
}
