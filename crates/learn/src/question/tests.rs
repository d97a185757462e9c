use std::sync::LazyLock;

use proptest::prelude::*;

use super::marks::{ByteMark, around};
use super::*;
use crate::codec::Codec;
use crate::lesson::file::Hide;
use crate::lesson::{Prepared, built_in};
use pdblens_session::session::Session;

fn of_number(codec: &str, number: i64, hide: Hide) -> Question {
    let codec = Codec::named(codec).unwrap();
    let steps = codec.decode(&codec.encode(&number.to_string()).unwrap()).steps;
    let at = steps.list.iter().position(|step| !step.field.group).unwrap();
    hidden::question(&steps, at, hide).unwrap()
}

fn wrong(question: &Question, answer: &str) -> String {
    match question.check(answer) {
        Verdict::Wrong(why) => why,
        other => panic!("{answer}: {other:?}"),
    }
}

#[test]
fn a_wrong_number_is_explained_by_its_own_mistake() {
    let question = of_number("sint", -5, Hide::Value);
    assert!(wrong(&question, "119").contains("read as unsigned"));
    assert!(wrong(&question, "-59").contains("sign bit was taken for a minus sign"));
    assert!(wrong(&question, "123").contains("rotated number read as unsigned"));
    assert!(wrong(&question, "59").contains("sign bit was dropped"));
    assert!(wrong(&question, "-9").contains("before the rotation"));
    assert!(wrong(&question, "5").contains("wrong way round"));
    assert_eq!(wrong(&question, "17"), "That is not it.");
    let question = of_number("uint", 131, Hide::Value);
    assert!(wrong(&question, "0x8083").contains("tell the length"));
    assert!(wrong(&question, "128").contains("first byte alone"));
    let question = of_number("sint", -5, Hide::Bytes);
    assert!(wrong(&question, "05").contains("sign is missing"));
    assert!(wrong(&question, "0b").contains("after the amount"));
    assert!(wrong(&question, "7b").contains("not rotated"));
    assert_eq!(wrong(&question, "02"), "These bytes hold 1.");
    assert!(matches!(question.check("bf f7"), Verdict::Right(text) if text.contains("fewest bytes")));
}

#[test]
fn no_mistake_is_claimed_that_gives_another_number() {
    // The top bit of 0000011 is clear: two's complement before the rotation gives 3.
    let question = of_number("sint", -63, Hide::Value);
    assert_eq!(wrong(&question, "-125"), "That is not it.");
    for (_, because) in question.known_mistakes() {
        assert!(!because.contains("-63"), "the explanation has the answer: {because}");
    }
    let question = of_number("sint", -4575, Hide::Bytes);
    assert!(wrong(&question, "ae 21").contains("not rotated"));
    assert!(!wrong(&question, "21").contains("rotated"), "{}", wrong(&question, "21"));
    let question = of_number("sint", 1865, Hide::Bytes);
    assert!(!wrong(&question, "49").contains("rotated"));
    assert!(wrong(&question, "87 49").contains("free for the sign"));
}

/// A lesson on a sample.
fn prepared(folder: &str, lesson: u32) -> Prepared {
    let path = format!("{}/../../assets/samples/{folder}/", env!("CARGO_MANIFEST_DIR"));
    let name = if folder.starts_with("workshop") { "Workshop.dll" } else { "Ticker.dll" };
    let session = Session::open(&[format!("{path}{name}").into()]).unwrap();
    let lesson = built_in().iter().find(|found| found.number == lesson).unwrap();
    Prepared::of(lesson, &session)
}

/// A question about the example of a page.
fn of_page(folder: &str, lesson: u32, page: usize, hide: Hide) -> Question {
    let step = prepared(folder, lesson).steps.swap_remove(page - 1);
    let example = step.example.unwrap();
    hidden::question(&example.steps, example.at, hide).unwrap()
}

/// The question of a lesson on a sample with a text in its prompt.
fn asked(folder: &str, lesson: u32, prompt: &str) -> Question {
    prepared(folder, lesson).questions.into_iter().find(|question| question.prompt.contains(prompt)).unwrap()
}

#[test]
fn the_line_of_any_other_point_is_explained() {
    let question = asked("ticker", 1, "A stack trace names");
    let (_, points) = question.given.iter().find(|(name, _)| name == "points").unwrap();
    let lines: Vec<&str> = points.split(" line ").skip(1).filter_map(|rest| rest.split(' ').next()).collect();
    let wrong_lines = lines.iter().filter(|line| matches!(question.check(line), Verdict::Wrong(_)));
    let unexplained: Vec<_> = wrong_lines.filter(|line| wrong(&question, line) == "That is not it.").collect();
    assert!(lines.len() > 3 && unexplained.is_empty(), "{points}: {unexplained:?}");
}

#[test]
fn wrong_bases_are_told_from_wrong_differences() {
    // The last visible point is 12:18–12:27: its end minus 5 is 22; 18 + 1 − 5 has the columns of the point itself.
    let question = of_page("ticker", 8, 5, Hide::State);
    assert!(wrong(&question, "22").contains("not from its end"), "{}", wrong(&question, "22"));
    assert_eq!(wrong(&question, "14"), "That is not it.");
    // Pages 31, 30: the page with index 0 was taken.
    let question = asked("ticker-windows", 4, "byte of the file");
    assert!(wrong(&question, "15888").contains("page 31, the first of the list"), "{}", wrong(&question, "15888"));
    // Line 12 has four points: IL_0011, and those of the condition and the increment of the loop.
    let exercise = prepared("ticker", 12).questions;
    assert!(wrong(&exercise[3], "IL_0069").contains("binds to the first"), "{}", wrong(&exercise[3], "IL_0069"));
    let question = of_page("workshop", 10, 3, Hide::Value);
    assert!(matches!(question.check("57"), Verdict::Right(text) if text.contains("hexadecimal")));
    let question = of_page("ticker", 9, 5, Hide::Bytes);
    assert!(wrong(&question, "66").contains("takes 4 bytes"));
    let question = asked("workshop", 10, "Which line do you find");
    assert!(wrong(&question, "1").contains("no sequence points"));
    assert!(wrong(&question, "13").contains("of the same offset in MoveNext"), "{}", wrong(&question, "13"));
    assert!(wrong(&question, "12").contains("The method that the frame names has no line"));
    let question = asked("ticker", 2, "symbol store");
    let id = question.answer().split('/').nth(1).unwrap().replace("FFFFFFFF", "b96cad35");
    assert!(wrong(&question, &id).contains("A portable PDB") || wrong(&question, &id).contains("stamp"), "{id}");
}

#[test]
fn bytes_of_a_question_are_numbered_and_marked() {
    let bytes = [0, 0, 0x18, 0x2e, 9, 6, 0, 0x12, 4, 8, 6, 0, 1, 2, 0x79];
    let question = exercise::question("records", &bytes).unwrap();
    let marks = |answer: &str, is_wrong| {
        let marked = question.marked_bytes(answer, is_wrong);
        assert!(marked.iter().map(|byte| byte.byte.unwrap()).eq(bytes) && marked[8].offset == 8, "{marked:?}");
        marked.into_iter().map(|byte| byte.mark).collect::<Vec<_>>()
    };
    assert_eq!(marks("", false), [ByteMark::Open; 15]);
    // Points that the answer has are marked, right or not; the read of the first wrong part once the answer was checked.
    let first = |rest: ByteMark| [[ByteMark::Answered(1); 5], [rest; 5], [ByteMark::Open; 5]].concat();
    assert_eq!(marks("IL_0000 46:9-46:33; IL_0006 47", false), first(ByteMark::Open));
    let mut second = first(ByteMark::Answered(2));
    second[8] = ByteMark::Wrong;
    assert_eq!(marks("IL_0000 46:9-46:33; IL_0006 47:13-47:31", true), second);
    let slots = exercise::question("slots", &[1, 0x2a, 1, 0x80, 0x83, 0, 2, 9]).unwrap();
    let found = slots.marked_bytes("0@41 0@131", true);
    assert_eq!((found[3].mark, found[4].mark, found[5].mark), (ByteMark::Wrong, ByteMark::Wrong, ByteMark::Open));
    assert!(wrong(&slots, "0@41 0@131 temporary 1@8").contains("byte 0x03, 80 83, the syntax offset"));
    // A question that hides a part shows what is around it, and not its bytes where they are asked for.
    let steps = Codec::named("records").unwrap().decode(&bytes).steps;
    let at = steps.list.iter().position(|step| step.field.name == "δ start line").unwrap();
    for is_covered in [false, true] {
        let found = around(&steps, at, is_covered);
        assert!(
            found.len() == 15 && found[8].mark == ByteMark::Asked && found[8].byte.is_none() == is_covered,
            "{found:?}"
        );
        assert_eq!(found.iter().filter(|byte| byte.mark == ByteMark::Asked).count(), 1);
    }
}

#[test]
fn long_drills_have_an_easier_one_in_their_place() {
    let (drills, spares) = (drills::drills(20, 335), spares(20, 335));
    assert_eq!(spares.iter().map(|(index, _)| *index).collect::<Vec<_>>(), [9, 19]);
    for (index, spare) in spares {
        let bytes = |question: &Question| question.prompt.matches(|c: char| c.is_ascii_digit()).count();
        assert!(bytes(&spare) < bytes(&drills[index]), "{} {}", spare.prompt, drills[index].prompt);
    }
}

#[test]
fn a_difference_is_told_from_the_state_after_it() {
    let bytes = [0, 0, 0x18, 0x2e, 9, 6, 0, 0x12, 4, 8];
    let steps = Codec::named("records").unwrap().decode(&bytes).steps;
    let at = steps.list.iter().position(|step| step.field.name == "δ start line").unwrap();
    let question = value_of(&steps, at).unwrap();
    assert!(matches!(question.check("2"), Verdict::Right(_)));
    assert!(wrong(&question, "48").contains("start line after the step. The difference"), "{}", wrong(&question, "48"));
}

#[test]
fn numbers_of_rows_and_lines_have_many_forms() {
    let question = asked("ticker", 1, "MethodDef");
    for text in ["3", "03", "003", "0x03", "000003", "row 3", "the row 3.", "MethodDef/3"] {
        assert!(matches!(question.check(text), Verdict::Right(_)), "{text}");
    }
    assert!(wrong(&question, "0x2").contains("counted from 1"));
    let question = of_page("ticker", 1, 5, Hide::State);
    assert!(matches!(question.check("line 11"), Verdict::Right(_)));
    let question = of_page("ticker", 8, 5, Hide::State);
    assert!(matches!(question.check("column 13"), Verdict::Right(_)));
    let question = asked("ticker", 6, "Which row");
    assert!(matches!(question.check("MethodDef/7"), Verdict::Right(_)));
    let question = of_number("uint", 19, Hide::Value);
    assert!(matches!(question.check("0b"), Verdict::Wrong(_)));
}

#[test]
fn usual_mistakes_and_forms_are_told() {
    let right = |question: &Question, text: &str| match question.check(text) {
        Verdict::Right(remark) => remark,
        other => panic!("{text}: {other:?}"),
    };
    let question = asked("ticker", 1, "MethodDef");
    assert!(
        wrong(&question, "0x06000003").contains("is a token") && wrong(&question, "100663299").contains("is a token")
    );
    let question = asked("ticker", 2, "five groups");
    // The second and the third group as their bytes are stored.
    let groups: Vec<_> = question.answer().split('-').map(str::to_owned).collect();
    let stored = |group: &str| format!("{}{}", &group[2..], &group[..2]);
    let first_only = [groups[0].clone(), stored(&groups[1]), stored(&groups[2]), groups[3].clone(), groups[4].clone()];
    assert!(wrong(&question, &first_only.join("-")).contains("Only the first group was reversed"));
    let question = asked("ticker", 2, "symbol store");
    let id = question.answer().split('/').nth(1).unwrap().to_owned();
    assert!(wrong(&question, &format!("/src/ticker/Ticker.pdb/{id}/ticker.pdb")).contains("the file name alone"));
    assert!(right(&question, &format!("3222a828-d6ba-470f-ac43-bbba907b2f03{}", &id[32..])).contains(&id));
    assert_eq!(right(&question, &id), "");
    let question = asked("workshop", 11, "Source Link give");
    let url = question.answer();
    assert_eq!(right(&question, &url), "");
    let question = of_page("ticker", 8, 5, Hide::State);
    assert!(
        wrong(&question, "119").contains("read as unsigned") && wrong(&question, "119").contains("added to 18"),
        "{}",
        wrong(&question, "119")
    );
    assert!(wrong(&of_number("sint", -63, Hide::Value), "-2").contains("zigzag"));
    assert!(wrong(&of_number("sint", 1865, Hide::Bytes), "0e 92").contains("tell the length are missing"));
    // An explained yes or no is one.
    assert!(is_same_text("no", "No, the end is exclusive", false));
    assert!(!is_same_text("no", "not at all", false) && !is_same_text("no", "yes, no doubt", false));
}

#[test]
fn answers_are_read_as_people_write_them() {
    let question = of_number("sint", -5, Hide::Value);
    for text in ["-5", "−5", "- 5", "-0x5", "-5."] {
        assert!(matches!(question.check(text), Verdict::Right(_)), "{text}");
    }
    let question = of_number("uint", 19, Hide::Value);
    for text in ["19", "0x13", "13h", "IL_0013", "0b10011", "+19"] {
        assert!(matches!(question.check(text), Verdict::Right(_)), "{text}");
    }
    assert!(wrong(&question, "13").contains("0x13 is 19"));
    for text in ["", "  ", "nineteen", "--", "0x"] {
        assert!(matches!(question.check(text), Verdict::Unreadable(_)), "{text}");
    }
    let question = of_number("uint", 131, Hide::Bytes);
    for text in ["80 83", "8083", "0x80, 0x83", "80-83"] {
        assert!(matches!(question.check(text), Verdict::Right(_)), "{text}");
    }
}

#[test]
fn the_published_blobs_are_marked_with_the_mistake_in_them() {
    let bytes = [0, 0, 0x18, 0x2e, 9, 6, 0, 0x12, 4, 8, 6, 0, 1, 2, 0x79];
    let question = exercise::question("records", &bytes).unwrap();
    for text in [
        "IL_0000 46:9-46:33; IL_0006 48:13-48:31; IL_000c 49:9-49:10",
        "IL_0000 46:9–46:33, IL_0006 48:13–48:31, IL_000C 49:9–49:10",
        "0 46 9 46 33  6 48 13 48 31  12 49 9 49 10",
    ] {
        assert!(matches!(question.check(text), Verdict::Right(_)), "{text}: {:?}", question.check(text));
    }
    let why = wrong(&question, "IL_0000 46:9-46:33; IL_0006 54:13-54:31; IL_000c 49:9-49:10");
    assert!(why.contains("start line of point 2"), "{why}");
    let why = wrong(&question, "IL_0000 46:9-46:33; IL_0006 48:13-48:31; IL_000e 49:9-49:10");
    assert_eq!(
        why,
        "The first difference is the IL offset of point 3: you have IL_000e. It comes from byte 0x0a, 06, the δ IL offset."
    );
    let why = wrong(&question, "IL_0000 46:9-46:33; IL_0006 50:13");
    assert!(
        why.contains("start line of point 2: you have 50. It comes from byte 0x08, 04,")
            && why.contains("read as unsigned"),
        "{why}"
    );
    let why = wrong(&question, "IL_0000 46:9-46:33");
    assert!(why.contains("there is more: the IL offset of point 2"), "{why}");
    // The header is compared if the answer has it; otherwise the verdict names it.
    let blob = exercise::question("points", &[2, 0, 0, 1, 0x13, 5, 1, 0, 0]).unwrap();
    let points = "IL_0000 19:5-19:6; IL_0001 hidden";
    assert!(wrong(&blob, &format!("locals 3; {points}")).contains("local signature in the header: 3"));
    assert_eq!(blob.check(&format!("locals 2; {points}")), Verdict::Right(String::new()));
    assert!(matches!(blob.check(points), Verdict::Right(remark) if remark.contains("local signature 2")));
    assert!(wrong(&question, &format!("locals 2; {points}")).contains("no local signature 2"));
    // Text that cannot be parsed as a list of points is not marked as a wrong list.
    for text in ["hello", "0@41 temporary", "IL_0000 nowhere"] {
        assert!(
            matches!(question.check(text), Verdict::Unreadable(why) if why.contains("IL_0006 48:13-48:31")),
            "{text}"
        );
    }
    let slots = exercise::question("slots", &[1, 0x2a, 1, 0x80, 0x83, 0, 2, 9]).unwrap();
    assert!(matches!(slots.check("0@41 0@130 temporary 1@8"), Verdict::Right(_)));
    for text in ["hello", "IL_0000 46:9-46:33", "0@41 0@130 0 1@8"] {
        assert!(matches!(slots.check(text), Verdict::Unreadable(_)), "{text}: {:?}", slots.check(text));
    }
    assert!(wrong(&slots, "0@42 0@130 temporary 1@8").contains("plus 1"), "{}", wrong(&slots, "0@42"));
}

#[test]
fn the_key_of_the_store_is_that_of_the_search() {
    for (files, suffix) in [("ticker", "FFFFFFFF"), ("ticker-windows", "1")] {
        let folder = format!("{}/../../assets/samples/{files}", env!("CARGO_MANIFEST_DIR"));
        let session = Session::open(&[format!("{folder}/Ticker.dll").into()]).unwrap();
        let lesson = built_in().iter().find(|lesson| lesson.number == 2).unwrap();
        let questions = Prepared::of(lesson, &session).questions;
        let question = questions.iter().find(|question| question.prompt.contains("symbol store")).unwrap();
        let answer = question.answer();
        assert!(answer.starts_with("ticker.pdb/") && answer.contains(&format!("{suffix}/ticker.pdb")), "{answer}");
        let id = answer.split('/').nth(1).unwrap();
        assert!(matches!(question.check(&id.to_lowercase()), Verdict::Right(_)), "{id}");
        let without = id.strip_suffix(suffix).unwrap();
        assert!(wrong(question, without).contains("The end is missing"), "{without}");
    }
}

#[test]
fn drills_are_the_same_for_the_same_seed() {
    let prompts = |seed| drills::drills(10, seed).into_iter().map(|drill| drill.prompt).collect::<Vec<_>>();
    assert_eq!(prompts(335), prompts(335));
    assert_ne!(prompts(335), prompts(336));
    assert_eq!(prompts(1).len(), 10);
}

/// Questions of all lessons.
static QUESTIONS: LazyLock<Vec<Question>> = LazyLock::new(|| {
    let session = Session::sample();
    built_in().iter().flat_map(|lesson| Prepared::of(lesson, &session).questions).collect()
});

proptest! {
    #[test]
    fn any_answer_gets_a_verdict(text in "\\PC{0,40}", digits in "[-−+0-9a-fxhIL_ :;,]{0,30}") {
        for question in &*QUESTIONS {
            let _ = question.check(&text);
            let _ = question.check(&digits);
        }
    }

    #[test]
    fn every_number_is_asked_for_and_answered(number in -0x1000_0000_i64..0x1000_0000) {
        for hide in [Hide::Value, Hide::Bytes] {
            let question = of_number("sint", number, hide);
            prop_assert!(matches!(question.check(&question.answer()), Verdict::Right(_)));
            for (mistake, because) in question.known_mistakes() {
                prop_assert_eq!(question.check(&mistake), Verdict::Wrong(because.to_owned()));
            }
        }
    }
}

#[test]
fn a_coded_index_may_be_answered_with_its_row() {
    let session = Session::sample();
    let steps = crate::steps(&session, "table/MemberRef/1".parse().unwrap()).unwrap();
    let at = steps.list.iter().position(|step| step.field.name == "Class").unwrap();
    let (question, number) = (value_of(&steps, at).unwrap(), steps.list[at].field.number.unwrap());
    let row = number >> 3;
    for answer in [format!("TypeRef/{row}"), format!("typeref {row}"), format!("0x{:08x}", 0x0100_0000 + row)] {
        let Verdict::Right(remark) = question.check(&answer) else { panic!("{answer}: {:?}", question.check(&answer)) };
        assert!(remark.contains(&format!("{row} × 8 + 1 = {number:#x}")), "{remark}");
    }
    assert_eq!(question.check(&format!("{number:#x}")), Verdict::Right(String::new()));
    assert!(
        wrong(&question, &format!("TypeDef/{row}")).contains("not it") && question.hints[1].ends_with("lowest first")
    );
    assert!(matches!(question.check("TypeRef/999"), Verdict::Wrong(_) | Verdict::Unreadable(_)));
}

/// Faults that lessons ask about: each is found in the bytes, and an answer with another field is told that this field is right.
#[test]
fn the_wrong_field_of_a_broken_pair_is_asked_for() {
    for (lesson, name) in [
        (4, "page-out-of-file"),
        (5, "string-table-signature"),
        (6, "no-such-document"),
        (8, "delta-overflow"),
        (9, "variable-slot"),
    ] {
        let question = fault::question(name).unwrap();
        assert!(matches!(question.check(&question.answer()), Verdict::Right(_)), "{name}");
        let others: Vec<_> =
            question.given.iter().map(|(noun, _)| noun).filter(|noun| noun.starts_with("0x")).collect();
        assert!(others.iter().any(|at| **at == question.answer()), "{name}: {} in {others:?}", question.answer());
        for other in others.iter().filter(|at| ***at != question.answer()) {
            assert!(wrong(&question, other).ends_with("as the compiler wrote it."), "{name}: {other}");
        }
        let questions = prepared("ticker", lesson).questions;
        assert!(questions.iter().any(|known| known.given == question.given), "lesson {lesson} does not ask for {name}");
    }
    assert!(fault::question("nil-id").is_none());
}

#[test]
fn lessons_ask_about_the_open_file() {
    let session = Session::sample();
    let asked = |number: u32| {
        let lesson = built_in().iter().find(|lesson| lesson.number == number).unwrap();
        Prepared::of(lesson, &session).questions
    };
    for (number, wanted) in [(3, "free page map"), (10, "frame"), (11, "Source Link give"), (11, "SRCSRVTRG become")] {
        let questions = asked(number);
        let question = questions.iter().find(|question| question.prompt.contains(wanted)).unwrap();
        assert!(!question.is_missing(), "{number}: {}", question.prompt);
        assert_eq!(question.check(&question.answer()), Verdict::Right(String::new()), "{number}: {wanted}");
        for (given, because) in question.known_mistakes() {
            assert!(matches!(question.check(&given), Verdict::Wrong(_)), "{number} {wanted}: {given} ({because})");
        }
    }
    // The same trace, wrongly and then rightly.
    let questions = asked(10);
    assert_eq!(questions[0].answer(), "none");
    assert!(questions[1].answer().parse::<u32>().unwrap() > 0);
}

#[test]
fn what_is_no_number_is_told_so_wherever_a_number_is_asked_for() {
    let lesson = Prepared::of(&built_in()[0], &Session::sample());
    let row = lesson.questions.iter().find(|question| question.prompt.contains("0x06000003")).unwrap();
    let other = lesson.questions.iter().find(|question| !question.prompt.contains("0x06000003")).unwrap();
    for question in [row, other] {
        assert!(matches!(question.check("zz"), Verdict::Unreadable(text) if text.contains("is not a number")));
    }
    assert!(wrong(row, "0").contains("counted from 1") && matches!(row.check("the third"), Verdict::Right(_)));
}

#[test]
fn the_ids_that_pages_show_are_explained_where_another_one_is_asked_for() {
    let session = Session::sample();
    let lesson = Prepared::of(&built_in()[1], &session);
    let question = lesson.questions.iter().find(|question| question.prompt.contains("another GUID")).unwrap();
    let shown = session.symbol_file().unwrap().reader().id().unwrap().guid.to_string();
    let verdict = wrong(question, &shown);
    assert!(verdict.contains("another GUID than these bytes"), "{verdict}");
    let hints = &question.hints;
    assert!(hints.len() == 2 && hints[1].contains("The first group has the bytes"), "{hints:?}");
}

#[test]
fn the_offset_of_a_line_of_native_code_is_no_il_offset() {
    for (file, place, asks_il) in [
        ("native/tally.exe", "function/0x10c0/lines/2", false),
        ("workshop-windows/Workshop.dll", "method/0x06000001/points/2", true),
    ] {
        let path = format!("{}/../../assets/samples/{file}", env!("CARGO_MANIFEST_DIR"));
        let session = Session::open(&[path.into()]).unwrap();
        let steps = crate::steps(&session, place.parse().unwrap()).unwrap();
        let at = steps.list.iter().position(|step| step.field.name == "offset").unwrap();
        let (question, number) = (value_of(&steps, at).unwrap(), steps.list[at].field.number.unwrap());
        assert_eq!(question.prompt.contains("as IL_"), asks_il, "{file}: {}", question.prompt);
        assert!(matches!(question.check(&format!("{number:#x}")), Verdict::Right(_)), "{file}");
    }
}
