//! Operators of C#: their texts and precedence, and the instructions that compute them.

use pdblens_formats::il::{Condition, Operator};

/// Operators: name of the method `op_…`, text, the text that also assigns, and precedence.
pub(super) const OPERATORS: [(&str, &str, &str, u8); 17] = [
    ("Addition", "+", "+=", 11),
    ("Subtraction", "-", "-=", 11),
    ("Multiply", "*", "*=", 12),
    ("Division", "/", "/=", 12),
    ("Modulus", "%", "%=", 12),
    ("BitwiseAnd", "&", "&=", 7),
    ("BitwiseOr", "|", "|=", 5),
    ("ExclusiveOr", "^", "^=", 6),
    ("LeftShift", "<<", "<<=", 10),
    ("RightShift", ">>", ">>=", 10),
    ("UnsignedRightShift", ">>>", ">>>=", 10),
    ("Equality", "==", "", 8),
    ("Inequality", "!=", "", 8),
    ("LessThan", "<", "", 9),
    ("GreaterThan", ">", "", 9),
    ("LessThanOrEqual", "<=", "", 9),
    ("GreaterThanOrEqual", ">=", "", 9),
];

pub(super) const fn operator_text(operator: Operator) -> &'static str {
    match operator {
        Operator::Add => "+",
        Operator::Subtract => "-",
        Operator::Multiply => "*",
        Operator::Divide => "/",
        Operator::Remainder => "%",
        Operator::And => "&",
        Operator::Or => "|",
        Operator::ExclusiveOr => "^",
        Operator::ShiftLeft => "<<",
        Operator::ShiftRight => ">>",
    }
}

pub(super) const fn condition_text(condition: Condition) -> &'static str {
    match condition {
        Condition::Equal => "==",
        Condition::NotEqual => "!=",
        Condition::Less => "<",
        Condition::LessOrEqual => "<=",
        Condition::Greater => ">",
        Condition::GreaterOrEqual => ">=",
    }
}
