use super::*;

#[test]
fn the_documentation_has_the_terms_of_the_data() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/glossary.md");
    let page = std::fs::read_to_string(path).unwrap();
    let is_row = |line: &str| line.starts_with("| ") && !line.starts_with("| term");
    let of = |term: &Term| {
        let name = if term.code { format!("`{}`", term.term) } else { term.term.clone() };
        format!("| {name} | {} | {} |", term.meaning, term.specified_in).replace("|  |", "| |")
    };
    let wanted: Vec<String> = terms().iter().map(of).collect();
    if std::env::var_os("DOCS_UPDATE").is_some() {
        let head = page.lines().take_while(|line| !is_row(line));
        let lines: Vec<&str> = head.chain(wanted.iter().map(String::as_str)).collect();
        std::fs::write(path, lines.join("\n") + "\n").unwrap();
    } else {
        assert_eq!(page.lines().filter(|line| is_row(line)).collect::<Vec<_>>(), wanted);
    }
}

#[test]
fn terms_are_found_by_any_name() {
    for (text, term) in
        [("Token", "token"), ("sequence points", "sequence point"), ("free page map", "FPM"), ("#blob", "blob")]
            .into_iter()
            .chain([
                ("block map", "block map"),
                ("hash slot", "hash table"),
                ("nil", "nil"),
                ("portable-pdb", "portable PDB"),
                ("!0", "!0"),
                ("JIT", "JIT"),
            ])
    {
        assert_eq!(find(text).map(|found| found.term.as_str()), Ok(term));
    }
    assert_eq!(find("sequense point").map(|_| ()), Err(vec!["sequence point"]));
    assert_eq!(find("qqqqqqqq").map(|_| ()), Err(Vec::new()));
}

#[test]
fn the_words_of_other_tools_lead_to_a_term() {
    for word in PEERS.split(", ") {
        assert!(find(word).is_ok(), "{word}: {:?}", find(word));
    }
}

/// Words of mdv, llvm-pdbutil, DIA, the debuggers, and articles.
const PEERS: &str = "root stream, index page, bitmap page, page size, block, superblock, DIA, DbgHelp, WinDbg, symsrv, symstore, pdbstr, \
    srctool, SymFindFileInPath, ISymbolReader, CILDB, ILDB, UNC, symbol store, symbol server, rotate, mdv, ILSpy, \
    llvm-pdbutil, TPI, IPI, GSI, PSI, MVID, RSDS, srcsrv, SRCSRVTRG, sourcelink, free block map, EnC, line table, async, \
    dnSpy, IDiaSession, SymReader, pingme.txt, two-tier store, JIT map, coded token, rid, varint, feefee, stripped PDB, \
    NB10, PGO, #-, stream header, cvdump";

#[test]
fn nine_of_ten_words_of_five_sources_are_explained() {
    let session = Session::sample();
    let words: Vec<&str> = include_str!("words.txt").lines().filter(|line| !line.starts_with("# ")).collect();
    assert!(words.len() >= 200, "{}", words.len());
    let is_known = |word: &str| find(word).is_ok() || crate::explain::explain(&session, word).is_some();
    let unknown: Vec<&&str> = words.iter().filter(|word| !is_known(word)).collect();
    println!("{} of {} words are known; not: {unknown:?}", words.len() - unknown.len(), words.len());
    assert!(unknown.len() * 10 <= words.len(), "{unknown:?}");
}

#[test]
fn sentences_of_debuggers_lead_to_a_term() {
    for (text, term) in [
        (
            "The breakpoint will not currently be hit. No symbols have been loaded for this document.",
            "unbound breakpoint",
        ),
        ("DBI stream", "DBI"),
        ("Just my code", "Just My Code"),
    ] {
        assert_eq!(find(text).map(|found| found.term.as_str()), Ok(term), "{text}");
    }
    // A name that differs by more than two letters is not suggested.
    assert_eq!(find("sequence dots").map(|_| ()), Err(Vec::new()));
}

#[test]
fn terms_of_a_text_are_in_its_order() {
    let names = |text: &str| terms_in(text).iter().map(|term| term.term.as_str()).collect::<Vec<_>>();
    assert_eq!(
        names("Sequence points name IL offsets of a method, not an RVA."),
        ["sequence point", "IL offset", "method", "RVA"]
    );
    assert_eq!(names("The rvalue of a tokenizer, and a typed hill"), Vec::<&str>::new());
}

fn sample(path: &str) -> Session {
    let path = format!("{}/../../assets/samples/{path}", env!("CARGO_MANIFEST_DIR"));
    Session::open(&[path.into()]).unwrap()
}

#[test]
fn every_term_has_an_example_or_a_reason() {
    let samples = [
        "workshop/Workshop.dll",
        "native/tally.exe",
        "parcel/parcel.exe",
        "parcel-lto/parcel.exe",
        "ticker-mono/Ticker.exe",
        "ticker-embedded/Ticker.dll",
        "faults/Faults.dll",
        "parcel-optimized/parcel.exe",
        "parcel-arm64/parcel.exe",
        "sorter/sorter.exe",
        "ledger/Ledger.dll",
        "workshop-release/Workshop.dll",
        "shapes/Shapes.dll",
        "../../crates/learn/assets/precompiled/Ticker.dll",
    ];
    let sessions: Vec<Session> = samples.iter().map(|path| sample(path)).collect();
    for term in terms() {
        for session in &sessions {
            let reason = no_example(session, term, None);
            assert!(reason.ends_with('.') && reason.len() > 20 && !reason.contains(" ~ "), "{}: {reason}", term.term);
        }
    }
    // A term without an example in the samples is one of rare files, or not of files.
    let is_shown = |term: &&Term| sessions.iter().any(|session| example(session, term).is_ok());
    let left = terms().iter().filter(|term| !is_shown(term) && term.absent.is_empty());
    assert_eq!(left.map(|term| term.term.as_str()).collect::<Vec<_>>(), RARE);
}

/// Terms that none of the samples of the test shows: what Microsoft's linker, Edit and Continue, or other compilers write.
const RARE: &[&str] = &[
    "capture",
    "EnC delta",
    "forwarder",
    "funclet",
    "MSFZ",
    "OMAP",
    "POGO",
    "Rich header",
    "RTTI",
    "thunk",
    "token map",
];

#[test]
fn an_example_shows_its_term() {
    let session = sample("workshop/Workshop.dll");
    let of = |name: &str| {
        let place = example(&session, find(name).unwrap()).unwrap_or_else(|reason| panic!("{name}: {reason}"));
        nodes::played(&session, place).unwrap()
    };
    for (term, field) in [
        ("yield offset", "yield offset"),
        ("resume offset", "resume offset"),
        ("hidden", "hidden point"),
        ("local signature", "local signature"),
    ] {
        assert!(of(term).rows.iter().any(|row| row.name == field), "{term}");
    }
    for (term, kind) in [("Source Link", "SourceLink"), ("slot map", "EncLocalSlotMap"), ("nil", "nil")] {
        assert!(of(term).rows.iter().any(|row| row.meaning.contains(kind)), "{term}: {:?}", of(term).title);
    }
}

#[test]
fn an_example_is_the_first_of_all_records() {
    let session = sample("parcel/parcel.exe");
    let last = numbers(&session, "function/*").last().unwrap();
    let last = format!("function/{last:#x}");
    let title = nodes::fields(&session, last.parse().unwrap()).unwrap().title;
    let mut term = terms().first().unwrap().clone();
    term.examples = vec![format!("function/* ~ {title}")];
    assert_eq!(example(&session, &term).map(|place| place.to_string()), Ok(last), "{title}");
    // A search that ended early denies nothing.
    let bound = Bound::of(5);
    assert_eq!(find_example(&session, &term, &bound), None);
    assert!(no_example(&session, &term, bound.reached()).starts_with("None among the first "));
}

#[test]
fn a_document_record_is_a_field_not_a_text() {
    let session = sample("workshop/Workshop.dll");
    let mut term = find("document record").unwrap().clone();
    if let Ok(place) = example(&session, &term) {
        assert!(nodes::played(&session, place).unwrap().rows.iter().any(|row| row.group && row.name == "document"));
    }
    term.examples = vec!["method/*/points = Document".to_owned()];
    assert!(example(&session, &term).is_err());
}

#[test]
fn examples_are_places_of_the_sample() {
    let session = Session::sample();
    for term in terms() {
        for path in &term.examples {
            let path = with_number(split(path).0, 1).replace('*', "0");
            assert!(path.parse::<Place>().is_ok(), "{}: {path}", term.term);
        }
    }
    let with_example = terms().iter().filter(|term| example(&session, term).is_ok()).count();
    assert!(with_example > 30, "{with_example}");
    let points = find("sequence point").unwrap();
    assert!(example(&session, points).unwrap().to_string().ends_with("/points"));
}

#[test]
fn all_rows_of_a_list_are_searched_up_to_the_bound() {
    let session = sample("warehouse/Acme.Warehouse.dll");
    let example = "methods ~ CustomerSessionExtensions38.<>c__DisplayClass16_0..ctor";
    assert_eq!(first(&session, example, &Bound::default()), Some(Place::Methods));
    let bound = Bound::of(READS_TO_DRAW);
    assert!(first(&session, example, &bound).is_none() && bound.reached().is_some());
}
