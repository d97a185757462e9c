//! What is in a Mono symbol file, piece by piece in the order of the file.
//!
//! Its header and its tables lead to everything else. Here the pieces stand as they lie: between two of them, and behind the
//! last, there may be bytes that nothing leads to.

use super::Place;
use super::fields::{Fields, Meaning};
use super::place::MethodPart;
use super::rows::{Cell, Head, Row, Rows, Tone};
use crate::bytes::{Cursor, Field, Noted, Slice, Span};
use crate::formats::mdb::{Mdb, MdbSection};
use crate::formats::metadata::{TableId, Token};
use crate::nodes::regions::{Extent, ExtentKind, tile};
use crate::session::Session;
use crate::symbols::Symbols;
use crate::text::safe::count;

/// A piece of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    part: MdbSection,
    /// Where it begins.
    pub(crate) at: u32,
    /// How many bytes it has.
    pub(crate) len: u32,
}

impl Piece {
    /// What it is called.
    const fn name(self) -> &'static str {
        match self.part {
            MdbSection::Header => "header",
            MdbSection::Source(_) => "source file",
            MdbSection::Unit(_) => "compile unit",
            MdbSection::Locals(_) => "local variables",
            MdbSection::Blocks(_) => "scopes",
            MdbSection::ScopeVariables(_) => "scope variables",
            MdbSection::RealName(_) => "real name",
            MdbSection::Lines(_) => "line program",
            MdbSection::MethodData(_) => "method data",
            MdbSection::MethodRow(_) => "row of the methods",
            MdbSection::SourceRow(_) => "row of the source files",
            MdbSection::UnitRow(_) => "row of the compile units",
            MdbSection::AnonymousScopes => "anonymous scopes",
        }
    }

    /// The stretch of the file that it is in, with others of its kind.
    const fn stretch(self) -> &'static str {
        match self.part {
            MdbSection::Header => "header",
            MdbSection::Source(_) => "source files",
            MdbSection::Unit(_) => "compile units",
            MdbSection::Locals(_)
            | MdbSection::Blocks(_)
            | MdbSection::ScopeVariables(_)
            | MdbSection::RealName(_)
            | MdbSection::Lines(_)
            | MdbSection::MethodData(_) => "lines and names",
            MdbSection::MethodRow(_) => "method table",
            MdbSection::SourceRow(_) => "source table",
            MdbSection::UnitRow(_) => "unit table",
            MdbSection::AnonymousScopes => "anonymous scopes",
        }
    }

    /// Whether it says where others are.
    const fn leads(self) -> bool {
        matches!(
            self.part,
            MdbSection::Header | MdbSection::MethodRow(_) | MdbSection::SourceRow(_) | MdbSection::UnitRow(_)
        )
    }

    /// The method that it is of, by its number in the table of methods.
    const fn method(self) -> Option<u32> {
        match self.part {
            MdbSection::Locals(n)
            | MdbSection::Blocks(n)
            | MdbSection::ScopeVariables(n)
            | MdbSection::RealName(n)
            | MdbSection::Lines(n)
            | MdbSection::MethodData(n)
            | MdbSection::MethodRow(n) => Some(n),
            _ => None,
        }
    }

    /// The place of it.
    pub(crate) const fn place(self) -> Place {
        match self.part {
            MdbSection::Header => Place::Header,
            _ => Place::Part(self.at),
        }
    }
}

/// The pieces of a file. None is longer than up to where the next one begins, whatever the file says.
pub(crate) fn pieces(mdb: &Mdb) -> Vec<Piece> {
    let begin = |part| Some((mdb.offset(part).ok()??, part));
    let mut begins: Vec<(u32, MdbSection)> = mdb.parts().filter_map(begin).collect();
    begins.sort_by_key(|(at, _)| *at);
    begins.dedup_by_key(|(at, _)| *at);
    let ends = begins.iter().skip(1).map(|(at, _)| u64::from(*at)).chain([mdb.len()]);
    let pieces = begins.iter().zip(ends).map(|((at, part), end)| {
        let slice = mdb.bytes(u64::from(*at), end);
        let mut cursor = slice.cursor();
        // What is wrong with it is for whoever explains it to say.
        let _ = mdb.decode(*part, &mut cursor);
        Piece { part: *part, at: *at, len: cursor.consumed() as u32 }
    });
    pieces.filter(|piece| piece.len > 0).collect()
}

impl Session {
    pub(crate) fn mdb(&self) -> Option<&Mdb> {
        self.symbols().and_then(Symbols::mdb)
    }

    /// Whether the symbols are a file that is listed part by part.
    pub fn has_parts(&self) -> bool {
        self.mdb().is_some()
    }

    /// The piece that has the byte at an offset of a Mono symbol file.
    pub(crate) fn piece_with(&self, at: u32) -> Option<Piece> {
        let pieces = self.pieces();
        let index = pieces.partition_point(|piece| piece.at <= at).checked_sub(1)?;
        pieces.get(index).copied().filter(|piece| at - piece.at < piece.len)
    }

    /// How many pieces lie within some bytes.
    pub(crate) fn pieces_within(&self, span: Span) -> usize {
        if self.symbols.as_ref().is_none_or(|file| file.space != span.space) {
            return 0;
        }
        let before = |at: u64| self.pieces().partition_point(|piece| u64::from(piece.at) < at);
        before(span.end()) - before(span.start)
    }

    /// The piece that begins at an offset.
    pub(crate) fn piece(&self, at: u32) -> Option<Piece> {
        self.piece_with(at).filter(|piece| piece.at == at)
    }

    /// Another place for the same bytes: a document, the points of a method.
    pub(crate) fn same_as(&self, piece: Piece) -> Option<Place> {
        match piece.part {
            MdbSection::Source(index) => Some(Place::Document(index + 1)),
            MdbSection::Lines(index) => {
                method_of(self.mdb()?, index).map(|method| Place::MethodPart(method, MethodPart::Points))
            }
            _ => None,
        }
    }

    fn piece_span(&self, piece: Piece) -> Option<Span> {
        Some(Span::new(self.symbols.as_ref()?.space, piece.at.into(), piece.len.into()))
    }

    /// A Mono symbol file from its first byte to its last: pieces of a kind that lie beside each other are one stretch.
    pub fn mono_extents(&self) -> Vec<Extent> {
        let (Some(mdb), Some(file)) = (self.mdb(), &self.symbols) else { return Vec::new() };
        let mut parts: Vec<Extent> = Vec::new();
        for piece in self.pieces() {
            let span = Span::new(file.space, piece.at.into(), piece.len.into());
            match parts.last_mut() {
                Some(last) if last.name == piece.stretch() && last.span.end() == span.start => {
                    last.span.len += span.len;
                }
                _ => {
                    let kind = if piece.leads() { ExtentKind::Header } else { ExtentKind::Data };
                    let place = (piece.part == MdbSection::Header).then_some(Place::Header);
                    parts.push(Extent::new(piece.stretch(), span, kind, place));
                }
            }
        }
        tile(Span::new(file.space, 0, mdb.len()), parts)
    }

    /// All pieces, in the order of the file.
    pub(crate) fn mono_parts(&self) -> Option<Rows<'_>> {
        let mdb = self.mdb()?;
        let pieces = self.pieces();
        let columns = vec![Head::number("offset"), Head::number("bytes"), Head::text("part"), Head::text("of")];
        Some(Rows::new(count(pieces.len() as u64, "part"), columns, pieces.len(), move |index| {
            let Some(piece) = pieces.get(index).copied() else { return Row::default() };
            let cells = vec![
                Cell::toned(format!("{:#x}", piece.at), Tone::Dim),
                Cell::toned(piece.len.to_string(), Tone::Dim),
                Cell::new(piece.name()).to(piece.place()),
                self.whose_piece(mdb, piece),
            ];
            Row { span: self.piece_span(piece), ..Row::at(piece.place(), cells) }
        }))
    }

    /// The number of the piece that begins at an offset or has the byte there.
    pub(crate) fn piece_row(&self, at: u32) -> Option<usize> {
        self.pieces().partition_point(|piece| piece.at <= at).checked_sub(1)
    }

    /// The method or the document that a piece is of.
    fn whose_piece(&self, mdb: &Mdb, piece: Piece) -> Cell {
        let document =
            |number: u32| Cell::new(self.document_name(number).unwrap_or_default()).to(Place::Document(number));
        match (piece.method().and_then(|index| method_of(mdb, index)), piece.part) {
            (Some(method), _) => Cell::new(self.method_name(method)).to(Place::Method(method)),
            (None, MdbSection::Source(index) | MdbSection::SourceRow(index)) => document(index + 1),
            (None, MdbSection::Unit(index) | MdbSection::UnitRow(index)) => {
                mdb.unit(index + 1).map_or_else(|_| Cell::default(), |unit| document(unit.source))
            }
            _ => Cell::default(),
        }
    }

    /// One piece, field by field.
    pub(crate) fn explain_piece(&self, at: u32) -> Option<Fields> {
        let (mdb, piece) = (self.mdb()?, self.piece(at)?);
        let span = self.piece_span(piece)?;
        let of = self.whose_piece(mdb, piece).text;
        let title = [piece.name(), of.as_str()].join(" · ");
        let title = title.trim_end_matches(" · ").to_owned();
        if let (MdbSection::Lines(_), Some(method)) =
            (piece.part, piece.method().and_then(|index| method_of(mdb, index)))
            && let Some(points) = self.explain_points(method).filter(|points| points.span == span)
        {
            return Some(Fields { title, ..points });
        }
        let slice = mdb.bytes(span.start, span.end());
        let decode = |cursor: &mut Cursor<'_, Noted>| mdb.decode(piece.part, cursor);
        Some(Fields::explain(title, Slice { space: span.space, ..slice }, decode, |record, field| {
            self.mono_meaning(mdb, piece.part, record, field)
        }))
    }

    /// Where a number of a part leads.
    pub(crate) fn mono_meaning(&self, mdb: &Mdb, part: MdbSection, record: &str, field: &Field) -> Option<Meaning> {
        let number = field.value.number().and_then(|number| u32::try_from(number).ok()).filter(|number| *number > 0)?;
        match (record, field.name) {
            ("mdb method", "token") => Some(Meaning::to(self.method_name(Token(number)), Place::Method(Token(number)))),
            ("mdb compile unit", "source" | "include") => {
                Some(Meaning::to(self.document_name(number).unwrap_or_default(), Place::Document(number)))
            }
            ("mdb method data", "compile unit") => {
                let index = mdb.units().get((number as usize).checked_sub(1)?)?.offset;
                let to = self.piece(index)?;
                Some(Meaning::to(self.whose_piece(mdb, to).text, to.place()))
            }
            ("mdb table entry", "index") if matches!(part, MdbSection::SourceRow(_)) => {
                Some(Meaning::to(self.document_name(number).unwrap_or_default(), Place::Document(number)))
            }
            (_, name) if name.ends_with("offset") => {
                let to = self.piece(number)?;
                Some(Meaning::to(to.name(), to.place()))
            }
            _ => None,
        }
    }
}

/// The method with this number in the table of methods.
fn method_of(mdb: &Mdb, index: u32) -> Option<Token> {
    let token = Token(mdb.methods().get(index as usize)?.token);
    (token.table() == TableId::METHOD_DEF && !token.is_nil()).then_some(token)
}
