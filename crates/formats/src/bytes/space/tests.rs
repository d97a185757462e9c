use super::*;

#[test]
fn a_stream_is_read_from_its_pages_and_knows_them() {
    let mut spaces = Spaces::default();
    let file = spaces.add_bytes("f", Origin::File("f".into()), (0..16).collect::<Vec<u8>>()).span().space;
    let pages = Origin::Pages { file, page_size: 4, pages: [9, 3, 0, 1].into(), first: 1 };
    let stream = spaces.add("stream 0", pages, 10, Storage::Derived);
    assert_eq!(spaces.region(stream).unwrap().bytes(), [12, 13, 14, 15, 0, 1, 2, 3, 4, 5]);
    let pieces: Vec<_> =
        spaces.resolve(Span::new(stream, 2, 8)).iter().map(|p| (p.span.start, p.span.len, p.exact)).collect();
    assert_eq!(pieces, [(14, 2, true), (0, 6, true)]);
    assert!(spaces.read(Span::new(stream, 8, 3)).is_err());
}

#[test]
fn an_error_names_the_part_that_it_is_in() {
    let mut spaces = Spaces::default();
    let file = spaces.add_bytes("App.dll", Origin::File("App.dll".into()), vec![0; 64]).span().space;
    spaces.name_part(Span::new(file, 16, 40), ".text");
    spaces.name_part(Span::new(file, 24, 8), "#Blob");
    let says = |start| {
        let kind = ErrorKind::UnexpectedEnd { wanted: 4, left: 1 };
        spaces.error_text(&Error::new(kind, Span::new(file, start, 1)))
    };
    assert_eq!(says(31), "unexpected end of App.dll #Blob at 0x7 (file offset 0x1f): 4 bytes needed, 1 left");
    assert_eq!(says(55), "unexpected end of App.dll .text at 0x27 (file offset 0x37): 4 bytes needed, 1 left");
    assert_eq!(says(63), "unexpected end of App.dll at 0x3f: 4 bytes needed, 1 left");
    // The heap continues: what ended is a record in it.
    assert_eq!(
        says(27),
        "unexpected end of a record in App.dll #Blob at 0x3 (file offset 0x1b): 4 bytes needed, 1 left"
    );
}

#[test]
fn pages_in_a_row_are_not_copied() {
    let mut spaces = Spaces::default();
    let file = spaces.add_bytes("f", Origin::File("f".into()), (0..16).collect::<Vec<u8>>()).span().space;
    let pages = Origin::Pages { file, page_size: 4, pages: [1, 2].into(), first: 0 };
    let stream = spaces.add("stream 0", pages, 7, Storage::Derived);
    let region = spaces.region(stream).unwrap();
    assert_eq!((region.bytes(), region.span()), (&[4, 5, 6, 7, 8, 9, 10][..], Span::new(stream, 0, 7)));
    assert_eq!(region.part(2, 3).unwrap().bytes(), [6, 7, 8]);
    assert!(region.part(2, 6).is_err());
    assert!(matches!(spaces.read(Span::new(stream, 1, 5)), Ok(Cow::Borrowed([5, 6, 7, 8, 9]))));
}

#[test]
fn a_list_of_pages_that_is_too_short_is_an_error() {
    let mut spaces = Spaces::default();
    let file = spaces.add_bytes("f", Origin::File("f".into()), vec![0; 16]).span().space;
    let pages = Origin::Pages { file, page_size: 4, pages: [1, 3].into(), first: 0 };
    let stream = spaces.add("stream 0", pages, 12, Storage::Derived);
    assert!(spaces.region(stream).is_err());
}

#[test]
fn a_page_past_the_file_is_an_error_not_a_panic() {
    let mut spaces = Spaces::default();
    let file = spaces.add_bytes("f", Origin::File("f".into()), vec![0; 8]).span().space;
    let pages = Origin::Pages { file, page_size: 4, pages: [u32::MAX].into(), first: 0 };
    let stream = spaces.add("stream 0", pages, 4, Storage::Derived);
    assert!(spaces.region(stream).is_err());
}

#[test]
fn streams_over_the_same_pages_are_copied_up_to_a_budget() {
    let mut spaces = Spaces::default();
    let file = spaces.add_bytes("f", Origin::File("f".into()), vec![0; 1 << 20]).span().space;
    // In descending order, so that no two pages are consecutive.
    let pages: Arc<[u32]> = (0..256).rev().collect();
    let origin = || Origin::Pages { file, page_size: 4096, pages: Arc::clone(&pages), first: 0 };
    let streams: Vec<SpaceId> = (0..200).map(|_| spaces.add("s", origin(), 1 << 20, Storage::Derived)).collect();
    let read = streams.iter().take_while(|stream| spaces.region(**stream).is_ok()).count();
    assert_eq!(read, 114);
    let error = spaces.region(streams[199]).unwrap_err().to_string();
    assert!(error.contains("all streams together"), "{error}");
    let repeated = Origin::Pages { file, page_size: 4096, pages: vec![3; 1 << 16].into(), first: 0 };
    let stream = spaces.add("s", repeated, 1 << 28, Storage::Derived);
    assert!(spaces.read(Span::new(stream, 0, 1 << 28)).unwrap_err().to_string().contains("all streams together"));
    assert!(spaces.region(streams[0]).is_ok());
}

#[test]
fn streams_are_found_by_name() {
    let mut spaces = Spaces::default();
    let pages = || Origin::Pages { file: SpaceId(0), page_size: 4, pages: [0].into(), first: 0 };
    spaces.add_bytes("stream 9", Origin::File("stream 9".into()), vec![0; 8]);
    let streams = [0, 10].map(|number| spaces.add(SpaceName::Stream(number), pages(), 4, Storage::Derived));
    let named = |name| spaces.named(name).map(|(id, _)| id);
    assert_eq!(["stream 0", "stream 10", "stream 9"].map(named), [streams[0], streams[1], SpaceId(0)].map(Some));
    assert_eq!(["stream 1", "stream 010", "stream", "0"].map(named), [None; 4]);
    assert_eq!(spaces.get(streams[1]).unwrap().name(), "stream 10");
}
