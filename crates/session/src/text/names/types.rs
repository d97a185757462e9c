//! The names of types: defined here, defined elsewhere, or put together by a signature.

use std::borrow::Cow;
use std::fmt::{self, Write};

use super::cache::Form;
use super::{MAX_DEPTH, Names, cell};
use pdblens_formats::metadata::schema::RESOLUTION_SCOPE;
use pdblens_formats::metadata::{TableId, Token};

impl Names<'_> {
    /// Writes what a TypeDef, TypeRef or TypeSpec token stands for.
    pub(crate) fn write_type(&self, token: Token, out: &mut dyn Write, depth: usize) -> fmt::Result {
        match token.table() {
            TableId::TYPE_DEF => self.write_type_def(token.row(), out),
            TableId::TYPE_REF => self.write_open_type(token, out, depth),
            // The text depends on the depth only where a signature leads to itself: that of the parents of members is kept.
            TableId::TYPE_SPEC if depth == 1 => {
                self.write_cached(Form::Instance, token, out, |out| self.write_type_spec(token.row(), out, depth))
            }
            TableId::TYPE_SPEC => self.write_type_spec(token.row(), out, depth),
            _ => write!(out, "{token}"),
        }
    }

    /// Writes namespace, enclosing types and name, with its type parameters.
    pub(crate) fn write_type_def(&self, row: u32, out: &mut dyn Write) -> fmt::Result {
        self.write_cached(Form::Declared, Token::new(TableId::TYPE_DEF, row), out, |out| self.write_chain(row, out))
    }

    fn write_chain(&self, row: u32, out: &mut dyn Write) -> fmt::Result {
        let chain = self.chain(row);
        let owner = Token::new(TableId::TYPE_DEF, row);
        let (mut named, outermost) = (0, chain.last().copied().unwrap_or(row));
        self.write_namespace(&self.string(TableId::TYPE_DEF, outermost, 2), out)?;
        for (index, row) in chain.iter().rev().enumerate() {
            if index > 0 {
                out.write_char('.')?;
            }
            let name = self.string(TableId::TYPE_DEF, *row, 1);
            let (name, arity) = split_arity(&name);
            out.write_str(name)?;
            // An inner type repeats the type parameters of those around it; each shows what it adds.
            if arity > 0 {
                self.write_type_parameters(owner, named, arity, out)?;
            }
            named = named.saturating_add(arity);
        }
        Ok(())
    }

    /// Writes the name of a TypeDef or a TypeRef as metadata has it, arity and all.
    pub(crate) fn write_metadata_type(&self, token: Token, out: &mut dyn Write) -> fmt::Result {
        self.write_cached(Form::Metadata, token, out, |out| match token.table() {
            TableId::TYPE_DEF => self.write_reflection_type(token.row(), out),
            _ => self.write_type_ref(token.row(), out),
        })
    }

    /// Appends a TypeDef's name as reflection writes it: `Namespace.Outer+Inner`.
    pub fn write_reflection_type(&self, row: u32, out: &mut dyn Write) -> fmt::Result {
        if self.enclosing(row) == 0 {
            self.write_namespace(&self.string(TableId::TYPE_DEF, row, 2), out)?;
            return out.write_str(&self.string(TableId::TYPE_DEF, row, 1));
        }
        let chain = self.chain(row);
        self.write_nested(TableId::TYPE_DEF, &chain, out)
    }

    /// Writes the name of a TypeDef or TypeRef that is nested: its row and those around it, innermost first.
    fn write_nested(&self, table: TableId, chain: &[u32], out: &mut dyn Write) -> fmt::Result {
        let outermost = chain.last().copied().unwrap_or_default();
        self.write_namespace(&self.string(table, outermost, 2), out)?;
        for (index, row) in chain.iter().rev().enumerate() {
            if index > 0 {
                out.write_char('+')?;
            }
            out.write_str(&self.string(table, *row, 1))?;
        }
        Ok(())
    }

    /// A TypeDef and those it is nested in, innermost first.
    pub(super) fn chain(&self, row: u32) -> Vec<u32> {
        std::iter::successors(Some(row), |row| Some(self.enclosing(*row)).filter(|outer| *outer > 0))
            .take(MAX_DEPTH)
            .collect()
    }

    /// Writes a TypeRef's name as metadata has it: `Namespace.Outer`1+Inner`.
    pub fn write_type_ref(&self, row: u32, out: &mut dyn Write) -> fmt::Result {
        let mut chain = vec![row];
        while let Some((TableId::TYPE_REF, outer)) = chain
            .last()
            .and_then(|row| RESOLUTION_SCOPE.decode(cell(self.metadata, TableId::TYPE_REF, *row, 0)))
            .filter(|(_, outer)| *outer > 0 && chain.len() < MAX_DEPTH)
        {
            chain.push(outer);
        }
        self.write_nested(TableId::TYPE_REF, &chain, out)
    }

    /// Writes `<T, U>` for type parameters `from` to `from + count` of a type or method.
    pub(crate) fn write_type_parameters(
        &self,
        owner: Token,
        from: u32,
        count: u32,
        out: &mut dyn Write,
    ) -> fmt::Result {
        out.write_char('<')?;
        for number in from..from.saturating_add(count) {
            if number > from {
                out.write_str(", ")?;
            }
            self.write_type_parameter(owner, number, out)?;
        }
        out.write_char('>')
    }

    /// Writes the name of one type parameter of a type or method; `!0` or `!!0` where it has none.
    pub(crate) fn write_type_parameter(&self, owner: Token, number: u32, out: &mut dyn Write) -> fmt::Result {
        let table = self.metadata.table(TableId::GENERIC_PARAM);
        let is_method = owner.table() == TableId::METHOD_DEF;
        if !owner.is_nil() {
            let coded = owner.row() << 1 | u32::from(is_method);
            // They are numbered in order, so that this one is where it should be, or among the first few.
            let mut rows = self.index.parameter_owners.equal_range(table, 2, coded);
            let due = rows.clone().nth(number as usize).into_iter();
            if let Some(row) = due.chain(rows.by_ref().take(256)).find(|row| table.cell(*row, 0) == Ok(number)) {
                return out.write_str(&self.string(TableId::GENERIC_PARAM, row, 3));
            }
        }
        write!(out, "{}{number}", if is_method { "!!" } else { "!" })
    }

    pub(crate) fn type_parameters(&self, owner: Token) -> u32 {
        let coded = owner.row() << 1 | u32::from(owner.table() == TableId::METHOD_DEF);
        let table = self.metadata.table(TableId::GENERIC_PARAM);
        self.index.parameter_owners.equal_range(table, 2, coded).len() as u32
    }

    fn write_namespace(&self, namespace: &str, out: &mut dyn Write) -> fmt::Result {
        if namespace.is_empty() || self.brief { Ok(()) } else { write!(out, "{namespace}.") }
    }
}

/// A name without the arities of its types: ``Ns.Sorter`2.Sort`` as `Ns.Sorter.Sort`.
pub fn without_arities(name: &str) -> Cow<'_, str> {
    let mut parts = name.split('`');
    let first = parts.next().unwrap_or_default();
    if first.len() == name.len() {
        return Cow::Borrowed(name);
    }
    let rest = parts.map(|part| part.trim_start_matches(|c: char| c.is_ascii_digit()));
    Cow::Owned(std::iter::once(first).chain(rest).collect())
}

/// A type's name without its arity, and that: ``List`1`` is `List` and 1.
fn split_arity(name: &str) -> (&str, u32) {
    match name.rsplit_once('`').map(|(name, arity)| (name, arity.parse())) {
        Some((name, Ok(arity))) if (1..=64).contains(&arity) => (name, arity),
        _ => (name, 0),
    }
}

/// A name without the type parameters at its end; names of compilers begin with angle brackets: `<Run>g__Local|3_0<T>`.
pub fn without_type_parameters(name: &str) -> &str {
    let mut depth = 0_usize;
    let opens = |(at, c): (usize, char)| {
        match c {
            '>' => depth += 1,
            '<' => depth = depth.saturating_sub(1),
            _ => {}
        }
        (depth == 0).then_some(at)
    };
    let begin = if name.ends_with('>') { name.char_indices().rev().find_map(opens) } else { None };
    begin.filter(|at| *at > 0).and_then(|at| name.get(..at)).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_parameters_end_a_name() {
        for (name, plain) in [
            ("Read<T>", "Read"),
            ("Read<T, A<U>>", "Read"),
            ("<Run>g__Local|3_0<T>", "<Run>g__Local|3_0"),
            ("<Run>g__Local|3_0", "<Run>g__Local|3_0"),
            ("<T>", "<T>"),
            ("a>", "a>"),
        ] {
            assert_eq!(without_type_parameters(name), plain);
        }
    }
}
