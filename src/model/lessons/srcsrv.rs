//! The `srcsrv` stream.

use super::{Lesson, Show, lesson};

const HEADING: &str = "srcsrv heading";
const ASSIGNMENT: &str = "srcsrv assignment";
const FILE: &str = "srcsrv source file";
const OTHER: &str = "srcsrv other line";
const BLANK: &str = "srcsrv blank line";
const END: &str = "CR LF as a rule; a lone LF is read too.";
const VARIABLE: &str =
    "What %varN% stands for while this file's values are evaluated; what it means is up to the variables section.";

pub(crate) const LESSONS: &[Lesson] = &[
    lesson(HEADING, "keyword", Show::Plain, "Begins every heading; in capitals or not."),
    lesson(
        HEADING,
        "section",
        Show::Plain,
        "The section that begins here, or the end of all; the dashes are for the eye.",
    ),
    lesson(HEADING, "line end", Show::Plain, END),
    lesson(
        ASSIGNMENT,
        "name",
        Show::Plain,
        "The variable: SRCSRVTRG and SRCSRVCMD are where the source is, and the command that gets it.",
    ),
    lesson(ASSIGNMENT, "equals sign", Show::Plain, "The first one ends the name; others belong to the value."),
    lesson(ASSIGNMENT, "value", Show::Plain, "Text with %names% in it, put in their places when a file is asked for."),
    lesson(ASSIGNMENT, "line end", Show::Plain, END),
    lesson(
        FILE,
        "var1",
        Show::Plain,
        "The source file as the PDB's own lists call it: how a debugger finds this line.",
    ),
    lesson(FILE, "asterisk", Show::Plain, "Separates the variables of a file."),
    lesson(FILE, "var2", Show::Plain, VARIABLE),
    lesson(FILE, "var3", Show::Plain, VARIABLE),
    lesson(FILE, "var4", Show::Plain, VARIABLE),
    lesson(FILE, "var5", Show::Plain, VARIABLE),
    lesson(FILE, "var6", Show::Plain, VARIABLE),
    lesson(FILE, "var7", Show::Plain, VARIABLE),
    lesson(FILE, "var8", Show::Plain, VARIABLE),
    lesson(FILE, "var9", Show::Plain, VARIABLE),
    lesson(FILE, "var10", Show::Plain, VARIABLE),
    lesson(FILE, "further variable", Show::Plain, "More than the ten that the specification has names for."),
    lesson(FILE, "line end", Show::Plain, END),
    lesson(OTHER, "text", Show::Plain, "Nothing that belongs here; debuggers differ in what they do about it."),
    lesson(OTHER, "line end", Show::Plain, END),
    lesson(BLANK, "line end", Show::Plain, END),
];

#[cfg(test)]
mod tests {
    use crate::bytes::{Slice, SpaceId};
    use crate::formats::srcsrv::SrcSrv;
    use crate::nodes::fields::Fields;

    #[test]
    fn every_field_has_a_lesson() {
        let text = b"x\n\nSRCSRV: ini\nA=b\nSRCSRV: source files\n1*2*3*4*5*6*7*8*9*10*11\n";
        let fields = Fields::explain("", Slice::new(text, SpaceId(0), 0), SrcSrv::decode, |_, _| None);
        for row in fields.rows.iter().filter(|row| row.depth > 0) {
            assert!(!row.about.is_empty(), "{}", row.name);
        }
        assert!(fields.rows.iter().any(|row| row.name == "further variable"));
    }
}
