//! A portable PDB file: its tables, and the `#Pdb` stream that ties it to a module.

use std::sync::OnceLock;

use super::delta::{self, DeltaRows, Generation};
use super::pdb_stream::PdbStream;
use super::points::Points;
use crate::bytes::{Budget, Error, Region, Result, Slice, SpaceId, Span};
use crate::metadata::{LowerBounds, Metadata, Root, TableId};

/// A parsed portable PDB; rows and blobs are decoded on demand.
#[allow(missing_docs)]
#[derive(Debug)]
pub struct PortablePdb {
    pub metadata: Metadata,
    /// `#Pdb` stream; `None` if it is missing or invalid.
    pub stream: Option<PdbStream>,
    pub stream_span: Span,
    /// Problems of the file as a whole.
    pub problems: Vec<Error>,
    state_machines: OnceLock<StateMachines>,
    scope_methods: LowerBounds,
    /// Limit on what is held of the file: that of its session, or one of its own.
    pub budget: Budget,
    pub(super) delta_rows: Option<DeltaRows>,
    pub(super) generations: Vec<Generation>,
}

/// Rows of StateMachineMethod, indexed by either column.
#[derive(Debug, Default)]
struct StateMachines {
    by_move_next: Vec<(u32, u32)>,
    by_kickoff: Vec<(u32, u32)>,
}

impl PortablePdb {
    /// Parses the portable PDB that `region` consists of.
    pub fn parse(region: Region) -> Result<Self> {
        let budget = Budget::of(region.len());
        let root = Root::parse(region)?;
        let (mut problems, mut stream_span) = (Vec::new(), Span::default());
        let stream = root.stream("#Pdb").and_then(|found| {
            stream_span = found.region.span();
            match PdbStream::decode(&mut found.region.cursor()) {
                Ok(read) => Some(read),
                Err(error) => {
                    // That its header is at fault is a problem already.
                    if !root.is_misplaced("#Pdb") {
                        problems.push(error);
                    }
                    None
                }
            }
        });
        if root.stream("#Pdb").is_none() {
            problems.push(Error::invalid("the metadata has no #Pdb stream: not a Portable PDB", root.span));
        }
        let metadata = Metadata::parse(root, stream.as_ref().map_or(&[0; 64], |stream| &stream.rows));
        let delta_rows = delta::rows_of(&metadata);
        Ok(Self {
            metadata,
            stream,
            stream_span,
            problems,
            state_machines: OnceLock::new(),
            scope_methods: LowerBounds::default(),
            budget,
            delta_rows,
            generations: Vec::new(),
        })
    }

    /// Space of the file.
    pub const fn space(&self) -> SpaceId {
        self.metadata.root.span.space
    }

    /// Returns document row (0 if the blob names the documents) and sequence points blob of a method; `None` if it has
    /// no points.
    #[inline]
    pub fn points_blob(&self, method_row: u32) -> Result<Option<(u32, Slice<'_>)>> {
        let table = self.metadata.table(TableId::METHOD_DEBUG_INFORMATION);
        let row = if self.is_delta() { self.debug_row(method_row) } else { Some(method_row) };
        let Some(method_row) = row else { return Ok(None) };
        let Some([document, blob]) = table.first_cells(method_row) else {
            return table.cell(method_row, 1).map(|_| None);
        };
        if blob == 0 {
            return Ok(None);
        }
        match self.metadata.heaps.blob(blob) {
            Ok(slice) => Ok(Some((document, slice))),
            Err(error) => Err(self.metadata.blame_cell(error, table.id, method_row, 1)),
        }
    }

    /// Returns the sequence points of a method; `None` if it has none.
    pub fn points(&self, method_row: u32) -> Result<Option<Points<'_>>> {
        self.points_blob(method_row)?.map(|(document, blob)| Points::new(blob, document)).transpose()
    }

    /// Returns the rows of LocalScope that are of a method.
    pub fn scope_rows(&self, method_row: u32) -> std::ops::Range<u32> {
        self.scope_methods.equal_range(self.metadata.table(TableId::LOCAL_SCOPE), 0, method_row)
    }

    /// Returns the kickoff method of the state machine with this MoveNext method.
    pub fn kickoff(&self, move_next: u32) -> Option<u32> {
        find(&self.state_machines().by_move_next, move_next)
    }

    /// Returns the MoveNext method of the state machine that `kickoff` starts.
    pub fn move_next(&self, kickoff: u32) -> Option<u32> {
        find(&self.state_machines().by_kickoff, kickoff)
    }

    fn state_machines(&self) -> &StateMachines {
        self.state_machines.get_or_init(|| {
            let table = self.metadata.table(TableId::STATE_MACHINE_METHOD);
            let (move_next, kickoff) = (table.column(0), table.column(1));
            let rows = || (1..=table.rows()).filter_map(|row| Some((move_next.get(row)?, kickoff.get(row)?)));
            let mut found =
                StateMachines { by_move_next: rows().collect(), by_kickoff: rows().map(|(m, k)| (k, m)).collect() };
            found.by_move_next.sort_unstable();
            found.by_kickoff.sort_unstable();
            found
        })
    }
}

fn find(sorted: &[(u32, u32)], key: u32) -> Option<u32> {
    let at = sorted.partition_point(|(k, _)| *k < key);
    sorted.get(at).filter(|(k, _)| *k == key).map(|(_, value)| *value)
}
