//! Modules of a Windows PDB and section contributions.

use super::super::json::{List, Room};
use crate::nodes::contributions::{ContributionDetails, contribution_list};
use crate::nodes::module_details::{ModuleDetails, module_count, module_details};
use crate::session::Session;

pub(super) fn modules<'s>(session: &'s Session, room: &'s Room) -> List<'s, ModuleDetails> {
    List::of(move || (0..module_count(session)).filter_map(|number| module_details(session, number))).within(room)
}

pub(super) fn contributions<'s>(session: &'s Session, room: &'s Room) -> List<'s, ContributionDetails> {
    List::of(move || contribution_list(session)).within(room)
}
