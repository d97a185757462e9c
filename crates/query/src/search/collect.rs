//! Collection of all names, as listed by the kinds of nodes.

use super::Index;
use pdblens_formats::bytes::Resource;
use pdblens_nodes::named::{self, NameList};
use pdblens_nodes::{Place, Side};
use pdblens_session::session::{self, Session};

/// An index in the making.
struct Collector<'g> {
    index: Index,
    go_on: &'g dyn Fn(u64, u64) -> bool,
    done: u64,
    total: u64,
}

impl NameList for Collector<'_> {
    fn text(&mut self) -> &mut String {
        &mut self.index.text
    }

    fn end(&mut self, place: Place) -> Option<()> {
        self.index.add(place);
        self.done = self.done.saturating_add(1);
        let goes_on = !self.done.is_multiple_of(4096) || (self.go_on)(self.done, self.total.max(self.done));
        goes_on.then_some(())
    }
}

impl Index {
    /// Everything with a name. `go_on` is told how far it is, and says whether to continue.
    pub fn build(session: &Session, go_on: &dyn Fn(u64, u64) -> bool) -> Self {
        session::hold(session);
        let rows = Side::loaded(session)
            .flat_map(|(_, metadata)| metadata.tables.present().map(|table| u64::from(table.rows())));
        let total = u64::from(session.methods()).saturating_add(rows.sum::<u64>());
        let share = Some(session.spaces().budget().share(Resource::Names));
        let mut collector = Collector { index: Self { share, ..Self::default() }, go_on, done: 0, total };
        // A stopped search keeps the rows that it has.
        let _ = named::list(session, &mut collector);
        let mut index = collector.index;
        index.lower = index.text.to_ascii_lowercase();
        if let (Some(share), Some((first, count))) = (&index.share, index.left_out) {
            share.leave_out("names to search for", first.to_string(), Some(count));
        }
        index
    }
}
