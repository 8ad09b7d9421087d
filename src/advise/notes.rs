//! Which remarks come first: warnings (a figure may be wrong), then advice (something to do), then what is only to be
//! known; within each in a stated order of rules, then in the order of the stages.

use crate::plan::{Note, NoteKind};
use crate::rules::position;

/// Rules whose remarks come before the others of their kind, the most costly to overlook first; the others follow in
/// the order of the documents.
pub const FIRST: &[&str] = &[
    "A-R1", "B-C6", "A-S3", "B-C8", "A-U1", "A-U2", "B-C2", "B-S4", "A-C4", "A-M2", "A-V5", "A-R2", "A-U3",
    "B-C3",
];

/// Sorts remarks into the order in which they are shown; equal ones are said once.
pub fn in_order(mut notes: Vec<Note>) -> Vec<Note> {
    notes.sort_by_key(|note| (rank(note.kind), place(note.rule)));
    let mut seen: Vec<Note> = Vec::new();
    for note in notes {
        if !seen.contains(&note) {
            seen.push(note);
        }
    }
    seen
}

const fn rank(kind: NoteKind) -> u8 {
    match kind {
        NoteKind::Warning => 0,
        NoteKind::Advice => 1,
        NoteKind::Info => 2,
    }
}

fn place(rule: &str) -> (usize, usize) {
    (FIRST.iter().position(|id| *id == rule).unwrap_or(FIRST.len()), position(rule))
}
