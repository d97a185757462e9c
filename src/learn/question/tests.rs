use std::sync::LazyLock;

use proptest::prelude::*;

use super::*;
use crate::learn::codec::Codec;
use crate::learn::lesson::file::Hide;
use crate::learn::lesson::{Prepared, built_in};
use crate::session::Session;

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
    assert_eq!(why, "The first difference is the IL offset of point 3: IL_000e.");
    let why = wrong(&question, "IL_0000 46:9-46:33; IL_0006 50:13");
    assert!(why.contains("start line of point 2: 50") && why.contains("read as unsigned"), "{why}");
    let why = wrong(&question, "IL_0000 46:9-46:33");
    assert!(why.contains("there is more: the IL offset of point 2"), "{why}");
    let slots = exercise::question("slots", &[1, 0x2a, 1, 0x80, 0x83, 0, 2, 9]).unwrap();
    assert!(matches!(slots.check("0@41 0@130 temporary 1@8"), Verdict::Right(_)));
    assert!(wrong(&slots, "0@42 0@130 temporary 1@8").contains("plus 1"), "{}", wrong(&slots, "0@42"));
}

#[test]
fn the_key_of_the_store_is_that_of_the_search() {
    for (files, suffix) in [("ticker", "FFFFFFFF"), ("ticker-windows", "1")] {
        let folder = format!("{}/assets/samples/{files}", env!("CARGO_MANIFEST_DIR"));
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
    let steps = crate::learn::steps(&session, "table/MemberRef/1".parse().unwrap()).unwrap();
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
