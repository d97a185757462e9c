//! Mapping between an async method or iterator and the `MoveNext` that contains its body.
//!
//! The `MoveNext` of an async method names the method that starts it. An iterator has the name of its state machine's type; that type has
//! a module, whose name consists of the declaring type and the state machine's type.

use std::collections::HashMap;

use super::{WindowsSymbols, module_name};
use crate::text::safe::utf16;
use pdblens_formats::managed::Method;
use pdblens_formats::managed::custom::Custom;
use pdblens_formats::metadata::Token;

#[derive(Debug, Default)]
pub(crate) struct StateMachines {
    kickoffs: HashMap<Token, Token>,
    move_nexts: HashMap<Token, Token>,
}

impl WindowsSymbols {
    /// All state machines, found when they are first asked for.
    pub(crate) fn state_machines(&self) -> &StateMachines {
        self.state_machines.get_or_init(|| {
            let mut found = StateMachines::default();
            let mut bodies: HashMap<String, Token> = HashMap::new();
            let mut named: Vec<(Token, String)> = Vec::new();
            for entry in self.entries() {
                let Ok(method) = self.pdb.method(&self.spaces, entry.token) else { continue };
                let token = Token(entry.token);
                if let Some(info) = &method.async_info {
                    found.add(Token(info.value.kickoff.value), token);
                }
                if method.name.value == "MoveNext" {
                    bodies.insert(module_name(&self.pdb, entry.module), token);
                }
                if let Some(name) = self.state_machine_of(&method) {
                    named.push((token, format!("{}.{name}", module_name(&self.pdb, entry.module))));
                }
            }
            for (kickoff, name) in named {
                if let Some(body) = bodies.get(&name) {
                    found.add(kickoff, *body);
                }
            }
            found
        })
    }

    /// Name of the type of a method's state machine, without the types around it.
    fn state_machine_of(&self, method: &Method) -> Option<String> {
        method.custom.iter().find_map(|record| match &record.value {
            Ok(Custom::StateMachineType(name)) => self.spaces.read(*name).ok().map(|name| utf16(&name)),
            _ => None,
        })
    }
}

impl StateMachines {
    fn add(&mut self, kickoff: Token, move_next: Token) {
        self.kickoffs.entry(move_next).or_insert(kickoff);
        self.move_nexts.entry(kickoff).or_insert(move_next);
    }

    pub(crate) fn kickoff(&self, move_next: Token) -> Option<Token> {
        self.kickoffs.get(&move_next).copied()
    }

    pub(crate) fn move_next(&self, kickoff: Token) -> Option<Token> {
        self.move_nexts.get(&kickoff).copied()
    }
}
