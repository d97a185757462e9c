//! Attributes that decide whether a debugger stops in a method, beside its points.

use crate::where_is::state_machine;
use pdblens_formats::metadata::{TableId, Token};
use pdblens_nodes::table::attributes;
use pdblens_session::session::Session;

/// Attribute that keeps a debugger out of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DebuggerAttribute {
    /// A breakpoint does not bind, a step passes over.
    Hidden,
    /// A step passes through; with Just My Code a breakpoint does not stop.
    StepThrough,
    /// With Just My Code neither breakpoint nor step stops.
    NonUserCode,
}

impl DebuggerAttribute {
    /// All of them, the strongest first.
    pub const ALL: [Self; 3] = [Self::Hidden, Self::StepThrough, Self::NonUserCode];

    /// Name as it is written in the source.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hidden => "DebuggerHidden",
            Self::StepThrough => "DebuggerStepThrough",
            Self::NonUserCode => "DebuggerNonUserCode",
        }
    }
}

/// Attributes of the method, of its type and of the types around it, the strongest first.
pub fn debugger_attributes(session: &Session, method: Token) -> Vec<DebuggerAttribute> {
    if method.table() != TableId::METHOD_DEF {
        return Vec::new();
    }
    let Some(names) = session.names() else { return Vec::new() };
    let mut owners = vec![method];
    let mut owner = names.owner(method.row());
    while owner != 0 && owners.len() < 16 {
        owners.push(Token::new(TableId::TYPE_DEF, owner));
        owner = names.enclosing(owner);
    }
    let found: Vec<String> =
        owners.into_iter().flat_map(|owner| attributes::of(session, owner)).map(|(_, name)| name).collect();
    let has = |one: &DebuggerAttribute| found.iter().any(|name| name.strip_suffix("Attribute") == Some(one.name()));
    DebuggerAttribute::ALL.into_iter().filter(has).collect()
}

/// The strongest attribute that keeps a debugger out of a method, or out of the method whose state machine it is of.
pub(crate) fn attribute_of(session: &Session, method: Token) -> Option<DebuggerAttribute> {
    // Compilers mark the kickoff of every async method [DebuggerStepThrough].
    let kickoff = state_machine::kickoff(session, method).into_iter();
    let kickoff = kickoff.flat_map(|kickoff| debugger_attributes(session, kickoff));
    let kickoff = kickoff.filter(|attribute| *attribute != DebuggerAttribute::StepThrough);
    kickoff.chain(debugger_attributes(session, method)).min()
}
