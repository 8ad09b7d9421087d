//! Which remarks the table shows: warnings, then advice, each in a stated order; a dozen at most.

use super::{memory, planned, rendered};
use plan::advise::notes::{FIRST, in_order};
use plan::plan::{Note, NoteKind};
use plan::render::Format;
use plan::render::report::{further_notes, report};
use plan::rules::rule;

fn note(kind: NoteKind, rule: &'static str, stage: Option<&str>, text: &str) -> Note {
    Note { kind, rule, stage: stage.map(str::to_owned), text: text.to_owned() }
}

#[test]
fn warnings_come_first_and_then_the_stated_order() {
    let notes = in_order(vec![
        note(NoteKind::Info, "A-R1", None, "a"),
        note(NoteKind::Advice, "A-U3", None, "b"),
        note(NoteKind::Advice, "A-C4", None, "c"),
        note(NoteKind::Warning, "A-U1", None, "d"),
        note(NoteKind::Warning, "B-C6", Some("two"), "e"),
        note(NoteKind::Warning, "B-C6", Some("one"), "f"),
        note(NoteKind::Warning, "B-C6", Some("two"), "e"),
        note(NoteKind::Warning, "A-L1", None, "g"),
    ]);
    let texts: Vec<&str> = notes.iter().map(|n| n.text.as_str()).collect();
    // Rules without a stated place follow in the order of the documents; of one rule, as the stages stand.
    assert_eq!(texts, ["e", "f", "d", "g", "c", "b", "a"]);
    assert!(FIRST.iter().all(|id| rule(id).is_some()));
}

#[test]
fn the_table_shows_a_dozen_and_the_explanation_the_rest() {
    let mut plan = planned(memory::ON_T4);
    plan.notes = (0..15).map(|n| note(NoteKind::Advice, "A-C4", None, &format!("remark {n}"))).collect();
    plan.notes.push(note(NoteKind::Info, "A-S3", Some("train"), "to be known"));
    let shown = report(&plan).notes;
    assert_eq!(shown.len(), 13);
    assert_eq!(shown.first().unwrap(), "remark 0 [A-C4]");
    assert_eq!(shown.last().unwrap(), "3 more with --explain");
    let rest = ["remark 12 [A-C4]", "remark 13 [A-C4]", "remark 14 [A-C4]", "train: to be known [A-S3]"];
    assert_eq!(further_notes(&plan), rest);
    let explained = rendered(&plan, Format::Table);
    assert!(rest.iter().all(|line| explained.contains(line)));
}

#[test]
fn what_holds_for_several_stages_is_said_once() {
    let mut plan = planned(memory::ON_T4);
    let old = "the price of acme/t4 is of 2024-01-01, 34 months old: look it up before you rent";
    plan.notes = vec![
        note(NoteKind::Warning, "B-C6", Some("train"), old),
        note(NoteKind::Warning, "B-C6", Some("evaluate"), old),
        note(NoteKind::Advice, "B-C6", Some("tune"), old),
    ];
    assert_eq!(
        report(&plan).notes,
        [format!("warning: train, evaluate: {old} [B-C6]"), format!("tune: {old} [B-C6]")]
    );
}
