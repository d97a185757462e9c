//! The whole of a portable PDB: its tables, and the `#Pdb` stream that ties it to a module.

use std::sync::OnceLock;

use super::pdb_stream::PdbStream;
use super::points::Points;
use crate::bytes::{Error, Region, Result, Slice, SpaceId, Span};
use crate::formats::metadata::{Metadata, Root, TableId};

/// A portable PDB, read as far as it takes to find anything in it.
#[derive(Debug)]
pub struct PortablePdb {
    /// Its metadata.
    pub metadata: Metadata,
    /// Its `#Pdb` stream.
    pub stream: Option<PdbStream>,
    /// Where that stands.
    pub stream_span: Span,
    /// What is wrong with the file as a whole.
    pub problems: Vec<Error>,
    state_machines: OnceLock<StateMachines>,
}

/// The rows of StateMachineMethod, by either column.
#[derive(Debug, Default)]
struct StateMachines {
    by_move_next: Vec<(u32, u32)>,
    by_kickoff: Vec<(u32, u32)>,
}

impl PortablePdb {
    /// Reads the portable PDB that is all of `region`.
    pub fn parse(region: Region) -> Result<Self> {
        let root = Root::parse(region)?;
        let (mut problems, mut stream_span) = (Vec::new(), Span::default());
        let stream = root.stream("#Pdb").and_then(|found| {
            stream_span = found.region.span();
            PdbStream::decode(&mut found.region.cursor()).map_err(|error| problems.push(error)).ok()
        });
        if stream.is_none() && problems.is_empty() {
            problems.push(Error::invalid("metadata without a #Pdb stream: not a portable PDB", root.span));
        }
        let metadata = Metadata::parse(root, stream.as_ref().map_or(&[0; 64], |stream| &stream.rows));
        Ok(Self { metadata, stream, stream_span, problems, state_machines: OnceLock::new() })
    }

    /// The space that the file is.
    pub const fn space(&self) -> SpaceId {
        self.metadata.root.span.space
    }

    /// The document that a method's row names (0: none, the blob says) and its sequence points blob, where it has one.
    pub fn points_blob(&self, method_row: u32) -> Result<Option<(u32, Slice<'_>)>> {
        let table = self.metadata.table(TableId::METHOD_DEBUG_INFORMATION);
        let blob = table.cell(method_row, 1)?;
        if blob == 0 {
            return Ok(None);
        }
        Ok(Some((table.cell(method_row, 0)?, self.metadata.heaps.blob(blob)?)))
    }

    /// The sequence points of a method; `None` where it has none.
    pub fn points(&self, method_row: u32) -> Result<Option<Points<'_>>> {
        self.points_blob(method_row)?.map(|(document, blob)| Points::new(blob, document)).transpose()
    }

    /// The kickoff method whose body `move_next` is.
    pub fn kickoff(&self, move_next: u32) -> Option<u32> {
        find(&self.state_machines().by_move_next, move_next)
    }

    /// The method that holds the body of `kickoff`.
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
