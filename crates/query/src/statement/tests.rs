use std::path::PathBuf;

use pdblens_formats::metadata::{TableId, Token};
use pdblens_formats::sequence_point::SequencePoint;
use pdblens_nodes::code_unit::{CodeUnit, MethodView};
use pdblens_nodes::function::NativeView;
use pdblens_session::session::Session;

use super::{Proof, Statement, Statements};

fn session(sample: &str) -> Session {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(sample);
    Session::open(&[path]).unwrap()
}

/// Texts of the visible points of the first method of that name.
fn texts(session: &Session, name: &str) -> Vec<String> {
    statements_of(session, name).into_iter().map(|statement| statement.text).collect()
}

fn statements_of(session: &Session, name: &str) -> Vec<Statement> {
    let row = (1..=session.methods())
        .find(|row| session.method_name(Token::new(TableId::METHOD_DEF, *row)).starts_with(name));
    let method = Token::new(TableId::METHOD_DEF, row.unwrap_or_else(|| panic!("no method is named {name}")));
    Statements::new(session).unwrap().of(method).into_iter().flatten().collect()
}

#[test]
fn a_method_reads_as_its_source() {
    assert_eq!(
        texts(&session("assets/samples/ticker/Ticker.dll"), "Ticker.Clock.Since("),
        ["{", "var now = Now();", "var elapsed = now - started;", "return elapsed < 0 ? 0 : elapsed;", "}"]
    );
}

#[test]
fn a_method_with_a_negative_column_has_no_statements() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../assets/samples/ticker");
    let [image, mut symbols] = ["Ticker.dll", "Ticker.pdb"].map(|name| std::fs::read(folder.join(name)).unwrap());
    // The last point of `Clock.Since`: the column goes back by 17, not by 4.
    let last = symbols.windows(5).position(|bytes| bytes == [0x0d, 0, 1, 2, 0x79]).unwrap() + 4;
    symbols[last] = 0x5f;
    let session = Session::from_bytes(vec![("Ticker.dll".into(), image), ("Ticker.pdb".into(), symbols)]).unwrap();
    assert!(texts(&session, "Ticker.Clock.Since(").is_empty());
    assert!(!texts(&session, "Ticker.Program.Main(").is_empty());
}

/// Classes of texts that other libraries had wrong when they were read for the first time.
#[test]
fn texts_that_were_wrong_are_written_otherwise_or_not_proved() {
    let session = session("tests/golden/statements/Language.release.dll");
    let finder = |name: &str| texts(&session, &format!("Language.Finder.{name}("));
    assert_eq!(finder("Move"), ["counts[i] = counts[i] - by;", "counts[i] -= by;", "}"]);
    assert_eq!(finder("Finalize"), ["Console.WriteLine(\"end\");", "}", "}"]);
    assert_eq!(finder("First")[..2], ["if ((i & 1) != 0)", "{"]);
    assert_eq!(finder(".ctor")[3], "Rows = new List<int>()");
    for (name, text) in [
        ("Each", "if (rows != null)"),
        ("Keys", "return keys.GetEnumerator();"),
        ("Text", "value = value?.ToString();"),
        ("Name", "name = kind.ToString()"),
    ] {
        let all = statements_of(&session, &format!("Language.Finder.{name}("));
        let found = all.iter().find(|statement| statement.text == text);
        assert!(found.is_some_and(|found| found.proof != Proof::Proved), "{name}: {all:?}");
    }
}

#[test]
fn the_end_of_a_block_of_visual_basic_is_no_break() {
    let found = texts(&session("assets/samples/ledger-windows/Ledger.dll"), "Books.Ledger.Post(");
    let end = found.iter().position(|text| text.starts_with("throw ")).expect("the statement of the block");
    assert_eq!(found[end + 1..], ["}", "Entries.Add(amount)", "return;"]);
}

#[test]
fn the_width_of_a_span_decides_between_spellings() {
    let session = session("assets/samples/ticker/Ticker.dll");
    let row = (1..=session.methods())
        .find(|row| session.method_name(Token::new(TableId::METHOD_DEF, *row)).contains("Since"));
    let found = Statements::new(&session).unwrap().at(Token::new(TableId::METHOD_DEF, row.unwrap()).into(), 1).unwrap();
    assert!(found.fits && found.whole, "{found:?}");
}

#[test]
fn shapes_of_the_compiler_are_written_as_c_sharp() {
    for sample in ["Language.debug.dll", "Language.release.dll"] {
        let session = session(&format!("tests/golden/statements/{sample}"));
        let all = Statements::new(&session).unwrap();
        let texts: Vec<String> = (1..=session.methods())
            .flat_map(|row| all.of(Token::new(TableId::METHOD_DEF, row)))
            .flatten()
            .map(|statement| statement.text)
            .collect();
        for shape in
            [" ?? ", "?.", "await ", "yield return ", " is ", "$\"", " => ", " += ", "++", "new ", " as ", "typeof("]
        {
            assert!(texts.iter().any(|text| text.contains(shape)), "{sample}: nothing has {shape:?}");
        }
    }
}

#[test]
fn a_constant_of_a_nullable_type_is_one_of_its_type() {
    for sample in ["Language.debug.dll", "Language.release.dll"] {
        let session = session(&format!("tests/golden/statements/{sample}"));
        for (method, text) in [
            ("Margins.IsNarrow(", "narrow = true;"),
            ("Margins.Stripped(", "stripping = Stripping.All;"),
            ("Margins.Stripped(", "return width > 3 ? stripping : Stripping.Ends;"),
        ] {
            let found = statements_of(&session, method);
            let is_it = |statement: &Statement| statement.text == text && statement.proof == Proof::Proved;
            assert!(found.iter().any(is_it), "{sample}: {text} is not among {found:?}");
        }
    }
}

#[test]
fn a_jump_is_a_word_of_c_sharp_or_not_whole() {
    let session = session("tests/golden/statements/Language.debug.dll");
    let all = Statements::new(&session).unwrap();
    let of = |row| all.of(Token::new(TableId::METHOD_DEF, row)).into_iter().flatten();
    let found: Vec<_> = (1..=session.methods()).flat_map(of).collect();
    for text in ["while (true)", "break;", "continue;", "yield return s.Length;", "yield return x;"] {
        assert!(found.iter().any(|statement| statement.text == text && statement.whole), "nothing is {text}");
    }
    for text in ["goto …;", "yield break;"] {
        assert!(found.iter().any(|statement| statement.text == text), "nothing is {text}");
    }
    for statement in found.iter().filter(|statement| statement.text.contains('…')) {
        assert!(!statement.fits && !statement.whole, "{statement:?}");
    }
}

#[test]
fn a_line_of_native_code_says_what_it_calls() {
    let named = |sample: &str, unit: &str, line: u32| {
        let session = session(&format!("assets/samples/{sample}"));
        let (native, name) = (NativeView::of(&session).unwrap(), unit.to_owned());
        let function = native.functions().iter().find(|function| native.name_of(function) == name).unwrap();
        let of = CodeUnit::Function(native.rva_of(function).unwrap());
        let found = Statements::new(&session).unwrap().of(of);
        let points = MethodView::of(&session, of).points;
        let of_line = points.iter().zip(&found).find(|(point, found)| point.start_line == line && found.is_some());
        of_line.and_then(|(_, found)| found.clone()).map(|found| (found.text.clone(), found.is_doubtful()))
    };
    let postage = Some(("→ parcel::postage".to_owned(), false));
    for sample in ["parcel", "parcel-arm64", "parcel-optimized", "parcel-x86"] {
        assert_eq!(named(&format!("{sample}/parcel.exe"), "parcel::weigh", 17), postage, "{sample}");
    }
    // `count` is inlined into the loop, and what it does is not the line's.
    let count = named("parcel-optimized/parcel.exe", "parcel::weigh", 15);
    assert_eq!(count.unwrap().0, "→ parcel::Stack<const parcel::Item *,8>::count");
    assert_eq!(named("parcel/parcel.exe", "parcel::weigh", 14), None);
}

#[test]
fn damaged_code_has_statements_or_none() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../assets/samples/ticker");
    let (image, pdb) =
        (std::fs::read(folder.join("Ticker.dll")).unwrap(), std::fs::read(folder.join("Ticker.pdb")).unwrap());
    for at in (0x250..image.len()).step_by(7) {
        let mut damaged = image.clone();
        damaged[at] = damaged[at].wrapping_add(0x25);
        let files = vec![("Ticker.dll".into(), damaged), ("Ticker.pdb".into(), pdb.clone())];
        let Ok(session) = Session::from_bytes(files) else { continue };
        let Some(statements) = Statements::new(&session) else { continue };
        for row in 1..=session.methods() {
            let found = statements.of(Token::new(TableId::METHOD_DEF, row));
            assert!(found.iter().flatten().all(|statement| statement.text.len() < 100_000), "{at:#x}");
        }
    }
}

/// Statements of a sample by method and offset.
fn statements(sample: &str) -> Vec<(u32, u32, Statement)> {
    let session = session(sample);
    let all = Statements::new(&session).unwrap();
    let of = |row| {
        let method = Token::new(TableId::METHOD_DEF, row);
        let points: Vec<SequencePoint> = MethodView::of(&session, method).points.iter().copied().collect();
        points.into_iter().zip(all.of(method)).filter_map(move |(point, found)| Some((row, point.offset, found?)))
    };
    (1..=session.methods()).flat_map(of).collect()
}

#[test]
fn a_windows_pdb_has_the_statements_of_the_portable_one() {
    for (windows, portable, proved) in [
        ("workshop-windows/Workshop.dll", "workshop-roslyn3/Workshop.dll", 100),
        ("ticker-windows/Ticker.dll", "ticker/Ticker.dll", 10),
    ] {
        let [windows, portable] = [windows, portable].map(|sample| statements(&format!("assets/samples/{sample}")));
        assert_eq!(windows.len(), portable.len());
        for (windows, portable) in windows.iter().zip(&portable) {
            assert_eq!(windows, portable);
        }
        assert!(portable.iter().filter(|(.., found)| found.whole).count() >= proved);
    }
}

#[test]
fn no_text_is_proved_in_a_document_that_is_not_c_sharp() {
    for (sample, rule) in [
        ("assets/samples/shapes/Shapes.dll", "a document in F#"),
        ("assets/samples/ledger/Ledger.dll", "a document in Visual Basic"),
        ("assets/samples/ticker-mono/Ticker.exe", "a document without a language"),
    ] {
        let found = statements(sample);
        assert!(found.iter().any(|(.., found)| found.rule.as_deref() == Some(rule)), "{sample}");
        assert!(found.iter().all(|(.., found)| !found.whole), "{sample}");
    }
}

#[test]
fn a_short_method_without_points_is_the_statement_that_is_proved() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join("assets/samples/workshop/Workshop.dll");
    let alone = Session::from_bytes(vec![("Workshop.dll".into(), std::fs::read(&path).unwrap())]).unwrap();
    let both = Session::open(&[path]).unwrap();
    let (without, with) = (Statements::new(&alone).unwrap(), Statements::new(&both).unwrap());
    let mut found = Vec::new();
    for row in 1..=alone.methods() {
        let method = Token::new(TableId::METHOD_DEF, row);
        assert!(with.of(method).is_empty() || with.of_unpointed(method).is_none(), "its points say more");
        let Some(statement) = without.of_unpointed(method) else { continue };
        assert_eq!(statement.proof, Proof::Proved);
        // If the points of the method have one statement, the texts are equal, except for `return` and the names in the PDB.
        let known: Vec<Statement> =
            with.of(method).into_iter().flatten().filter(|known| known.text.len() > 1).collect();
        if let [known] = &known[..] {
            found.push((known.text.clone(), statement.text));
        }
    }
    assert!(
        found
            .iter()
            .filter(|(known, statement)| known.trim_end_matches(';')
                == statement.trim_end_matches(';').trim_start_matches("return ")
                || known == statement)
            .count()
            >= 3,
        "{found:?}"
    );
}
