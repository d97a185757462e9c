//! Streams of srcsrv.

use std::sync::Arc;

use super::{Codec, no_advice};
use crate::bytes::{Region, SpaceId};
use crate::formats::srcsrv::SrcSrv;
use crate::source::srcsrv::Evaluator;

pub(super) const SRCSRV: Codec = Codec {
    name: "srcsrv",
    about: "the text of a srcsrv stream, evaluated for each of its files",
    paragraph: "SrcSrv language specification",
    example: (
        "53 52 43 53 52 56 3a 20 69 6e 69 20 2d 2d 2d 2d 0a 53 52 43 53 52 56 3a 20 76 61 72 69 61 62 6c 65 73 20 2d 2d 0a \
         53 52 43 53 52 56 54 52 47 3d 68 74 74 70 3a 2f 2f 78 2f 25 76 61 72 32 25 0a \
         53 52 43 53 52 56 3a 20 73 6f 75 72 63 65 20 66 69 6c 65 73 20 2d 2d 0a 61 2e 63 2a 62 2e 63 0a \
         53 52 43 53 52 56 3a 20 65 6e 64 20 2d 2d 0a",
        "a.c → http://x/b.c",
    ),
    decode: |c| {
        let bytes = c.remaining().to_vec();
        SrcSrv::decode(c)?;
        let stream = SrcSrv::parse(Region::whole(SpaceId(0), Arc::new(bytes)));
        let evaluator = Evaluator::new(&stream);
        let files = (0..stream.files.len()).filter_map(|index| evaluator.file(index));
        Ok(files.map(|file| format!("{} → {}", file.path, file.target)).collect::<Vec<_>>().join("; "))
    },
    encode: None,
    advice: no_advice,
};
