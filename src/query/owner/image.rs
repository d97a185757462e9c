//! Bytes of an image: headers, what the directories lead to, bodies, and what nothing leads to.

use super::Search;
use crate::bytes::Span;
use crate::formats::metadata::{TableId, Token};
use crate::formats::pe::{Directory, Part, Pe};
use crate::nodes::Place;
use crate::nodes::method;
use crate::nodes::pe::layout::{ImageLayout, layout_index};
use crate::nodes::{MethodPart, PePart, Side};

impl Search<'_> {
    pub(crate) fn in_image(&mut self) {
        let Some(image) = self.session.image() else { return };
        self.in_headers(&image.pe);
        let metadata = image.metadata.as_ref().map(|metadata| metadata.root.region.span());
        if metadata.is_some_and(|span| span.covers(self.byte)) {
            self.in_metadata(Side::Image);
        }
        if !self.owners.is_empty() {
            return;
        }
        if let Some(rva) = image.pe.offset_to_rva(self.byte.start) {
            self.in_machine_code(rva);
        }
        if !self.owners.is_empty() {
            return;
        }
        if self.has_index(layout_index()) {
            let layout = ImageLayout::of(self.session);
            self.in_body(layout);
            if self.owners.is_empty() {
                self.between(layout);
            }
        }
        if self.owners.is_empty() {
            for (index, section) in image.pe.sections.iter().enumerate() {
                self.add(Place::PePart(PePart::Section(index as u16)), section.data);
            }
        }
    }

    /// Adds the owners among the headers and the data directories.
    fn in_headers(&mut self, pe: &Pe) {
        for part in [Part::Dos, Part::Coff, Part::Optional, Part::Cli] {
            self.add(Place::PePart(part.into()), pe.span(part).unwrap_or_default());
        }
        for (index, directory) in pe.directories.iter().enumerate() {
            let place = Place::PePart(PePart::Directory(index as u8));
            self.add(place, directory.span);
            // What these lead to has places of its own.
            if !matches!(index as u8, Directory::CLI | Directory::DEBUG) {
                self.add(place, directory.data.unwrap_or_default());
            }
        }
        for (index, section) in pe.sections.iter().enumerate() {
            self.add(Place::PePart(PePart::Section(index as u16)), section.header.span);
        }
        for (index, entry) in pe.debug.iter().enumerate() {
            let place = Place::PePart(PePart::Debug(index as u16));
            self.add(place, entry.header.span);
            self.add(place, entry.data.unwrap_or_default());
        }
    }

    /// The body that has the byte, and the instruction in it.
    fn in_body(&mut self, layout: &ImageLayout) {
        let behind = layout.bodies.partition_point(|(at, _)| *at <= self.byte.start);
        let Some((at, _)) = behind.checked_sub(1).and_then(|index| layout.bodies.get(index)).copied() else { return };
        // Methods may share a body: they stand one behind the other.
        let first = layout.bodies.partition_point(|(other, _)| *other < at);
        let sharing = layout.bodies.get(first..behind).unwrap_or_default();
        let near = self.near.filter(|near| sharing.binary_search(&(at, near.row())).is_ok());
        let Some(method) = near.or_else(|| sharing.first().map(|(_, row)| Token::new(TableId::METHOD_DEF, *row)))
        else {
            return;
        };
        let Ok(Some(body)) = method::body(self.session, method) else { return };
        if !body.span.covers(self.byte) {
            return;
        }
        if body.code.covers(self.byte) {
            let found = method::instructions(self.session, &body).map(|found| match found {
                Ok(instruction) => (instruction.offset, instruction.span),
                Err(error) => ((error.span.start - body.code.start) as u32, error.span),
            });
            let at = self.byte.start;
            for (offset, span) in found.skip_while(|(_, span)| span.end() <= at).take(1) {
                self.add(Place::MethodPart(method, MethodPart::Instruction(offset)), span);
            }
        }
        for (number, region) in body.regions.iter().enumerate() {
            self.add(Place::MethodPart(method, MethodPart::Region(number as u32)), region.span);
        }
        self.add(Place::MethodPart(method, MethodPart::Body), body.span);
    }

    /// Adds the region between known ones that has the byte: padding or unknown content.
    fn between(&mut self, layout: &ImageLayout) {
        let Some(region) = layout.region_with(self.byte.start) else { return };
        let mut span = region.span;
        if region.place == Some(Place::Methods) {
            // Behind a body, up to the next.
            let next = layout.bodies.partition_point(|(at, _)| *at <= self.byte.start);
            let before = next.checked_sub(1).and_then(|index| layout.bodies.get(index));
            let body =
                before.and_then(|(_, row)| method::body(self.session, Token::new(TableId::METHOD_DEF, *row)).ok()?);
            let from = body.map_or(span.start, |body| body.span.end()).clamp(span.start, self.byte.start);
            let to = layout.bodies.get(next).map_or(span.end(), |(at, _)| (*at).min(span.end()));
            span = Span::new(span.space, from, to.saturating_sub(from));
        }
        self.add(Place::Bytes(span), span);
    }
}
