//! The description from which files are made: how many of everything, exactly.

use std::ops::Range;

use super::method::Method;

/// Row counts of the tables. `Recipe::of(methods)` fills in usual ones; struct update syntax changes one.
///
/// Each count is the exact number of rows of that table, because the width of an index depends on it: 65 535 rows take
/// 2-byte indexes, 65 536 rows take 4.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// Rows of MethodDef, and of MethodDebugInformation.
    pub methods: u32,
    /// Average number of sequence points of a method.
    pub points: u32,
    /// Rows of TypeDef; the first is `<Module>`, so at least two.
    pub types: u32,
    /// Rows of Document.
    pub documents: u32,
    /// Rows of Field.
    pub fields: u32,
    /// Rows of Param.
    pub params: u32,
    /// Rows of TypeRef.
    pub type_refs: u32,
    /// Rows of MemberRef.
    pub member_refs: u32,
    /// Rows of LocalVariable.
    pub variables: u32,
    /// Rows of LocalConstant.
    pub constants: u32,
    /// Rows of ImportScope; the first is the parent of the others.
    pub imports: u32,
    /// Nesting of the type of the first parameter of the first method that has one: `int[][][]…`.
    pub depth: u32,
    /// Variables of the Windows PDB are fields of state machines, as Visual Basic lists them; nothing, or the first of their numbers.
    pub hoisted: Option<u32>,
    /// Strings in the middle of names, in turn; none if empty.
    pub marks: &'static [&'static str],
    /// Two recipes that differ only in this make files that differ in content, not in size of tables.
    pub seed: u64,
}

impl Recipe {
    /// Usual counts for an assembly of so many methods.
    pub fn of(methods: u32) -> Self {
        let types = 2 + methods / 8;
        let documents = 1 + types / 3;
        Self {
            methods,
            points: 10,
            types,
            documents,
            fields: types * 2,
            params: methods + methods / 4,
            type_refs: 24,
            member_refs: 40,
            variables: methods - methods / 5,
            constants: methods / 16,
            imports: 1 + documents,
            depth: 0,
            hoisted: None,
            marks: &[],
            seed: 1,
        }
    }

    /// The method of MethodDef row `row`.
    pub fn method(&self, row: u32) -> Method {
        assert!((1..=self.methods).contains(&row), "there is no method {row}");
        Method::of(self, row)
    }

    /// All methods, in row order.
    pub fn all(&self) -> impl Iterator<Item = Method> + '_ {
        (1..=self.methods).map(|row| self.method(row))
    }

    /// The TypeDef row that has method `row`.
    pub fn type_of(&self, row: u32) -> u32 {
        owner(self.methods, self.types - 1, row - 1) + 2
    }

    /// The methods of TypeDef row `row`.
    pub fn methods_of(&self, row: u32) -> Range<u32> {
        if row == 1 { 1..1 } else { rows(self.methods, self.types - 1, row - 2) }
    }

    /// The fields of TypeDef row `row`.
    pub fn fields_of(&self, row: u32) -> Range<u32> {
        if row == 1 { 1..1 } else { rows(self.fields, self.types - 1, row - 2) }
    }

    /// The document in which TypeDef row `row` is written.
    pub fn document_of(&self, row: u32) -> u32 {
        share(self.documents, self.types - 1, row - 2) + 1
    }

    /// Number of methods before method `row` in its document.
    pub fn before_in_document(&self, row: u32) -> u32 {
        let (types, document) = (self.types - 1, self.document_of(self.type_of(row)) - 1);
        let first_type = (document as u64 * types as u64).div_ceil(self.documents as u64) as u32;
        row - 1 - share(self.methods, types, first_type)
    }

    /// The parameters of method `row`: every second method has some.
    pub fn params_of(&self, row: u32) -> Range<u32> {
        lumped(self.params, self.methods, 2, row)
    }

    /// The local variables of method `row`: every third method has some.
    pub fn variables_of(&self, row: u32) -> Range<u32> {
        lumped(self.variables, self.methods, 3, row)
    }

    /// The local constants of method `row`: every seventh method has some.
    pub fn constants_of(&self, row: u32) -> Range<u32> {
        lumped(self.constants, self.methods, 7, row)
    }
}

/// Start of the `index`th of `of` ranges that divide `total` items evenly.
fn share(total: u32, of: u32, index: u32) -> u32 {
    (total as u64 * index as u64 / of as u64) as u32
}

/// Index of the range that item `index` is in.
fn owner(total: u32, of: u32, index: u32) -> u32 {
    ((of as u64 * (index as u64 + 1) - 1) / total as u64) as u32
}

/// The `index`th range as rows, which count from 1.
fn rows(total: u32, of: u32, index: u32) -> Range<u32> {
    share(total, of, index) + 1..share(total, of, index + 1) + 1
}

/// Rows of method `row` when only every `every`th method has any: few methods have many. The last method is one of
/// them: the empty list of one after it would begin at row 65 536 of 65 535, which two bytes cannot say.
fn lumped(total: u32, methods: u32, every: u32, row: u32) -> Range<u32> {
    let (owners, before_last) = (methods.div_ceil(every), methods - row);
    let share = rows(total, owners, owners - 1 - before_last / every);
    if before_last.is_multiple_of(every) { share } else { share.start..share.start }
}
