//! `plan explain`: rules, thresholds, reasons of rejection, ways to buy and diagnostic codes, all of them in a list or one at length.

use super::{Env, Exit, Stop};
use crate::decide::Reason;
use crate::diag::{Code, Diagnostic};
use crate::names::{Named, closest};
use crate::render::Style;
use crate::render::text::{heading, section};
use crate::rules::{ALIASES, Rule, Threshold, rule, rules};
use crate::terms::Purchase;
use crate::units::number::thousands;
use std::io::Write;

/// Runs the subcommand.
pub(super) fn run(id: Option<&str>, env: &Env, out: &mut dyn Write) -> Result<Exit, Stop> {
    let style = super::style(env);
    match id {
        None => list(style, out)?,
        Some(id) => one(id, style, out)?,
    }
    Ok(Exit::Done)
}

/// Everything that can be explained, one line each.
fn list(style: Style, out: &mut dyn Write) -> std::io::Result<()> {
    heading("plan explain ID says more about each of these.", style, out)?;
    let lines: Vec<String> = rules().map(|r| format!("{} {}", r.id, r.says)).collect();
    section("Rules", &lines, style, out)?;
    let first =
        |text: &'static str| text.split_once(". ").map_or(text, |(first, _)| first).trim_end_matches('.');
    let lines: Vec<String> =
        Reason::ALL.iter().map(|(reason, name)| format!("{name}: {}", first(reason.about()))).collect();
    section("Why an offer does not take part", &lines, style, out)?;
    let lines: Vec<String> =
        Purchase::ALL.iter().map(|(way, name)| format!("{name}: {}", first(about(*way)))).collect();
    section("Ways to buy", &lines, style, out)?;
    let lines: Vec<String> =
        Code::ALL.iter().map(|(code, name)| format!("{name}: {}", first(code.about()))).collect();
    section("Diagnostics", &lines, style, out)?;
    let lines: Vec<String> = Threshold::ALL.iter().map(|(threshold, _)| threshold_line(*threshold)).collect();
    section("Thresholds, to be set in [rules]", &lines, style, out)
}

/// One id at length. A word may be a reason and a code at once: both are told.
fn one(id: &str, style: Style, out: &mut dyn Write) -> Result<(), Stop> {
    let mut found = false;
    if let Some(rule) = rule(&id.to_uppercase()) {
        write_rule(rule, style, out)?;
        found = true;
    }
    let word = id.to_lowercase();
    if let Some(threshold) = Threshold::from_name(&word) {
        let rule = rule(threshold.spec().rule);
        heading(&threshold_line(threshold), style, out)?;
        if let Some(rule) = rule {
            section(rule.id, &[rule.says.to_owned()], style, out)?;
        }
        found = true;
    }
    let titled = [
        Reason::from_name(&word).map(|r| (format!("{r}: why an offer does not take part"), r.about())),
        Code::from_name(&word).map(|c| (format!("{c}: a diagnostic"), c.about())),
        purchase(&word).map(|way| (titled_way(way), about(way))),
    ];
    for (title, about) in titled.into_iter().flatten() {
        if found {
            writeln!(out)?;
        }
        heading(&title, style, out)?;
        section("meaning", &[about.to_owned()], style, out)?;
        found = true;
    }
    if found { Ok(()) } else { Err(unknown(id).into()) }
}

/// The way to buy that a word means: its name, or how tables show it.
fn purchase(word: &str) -> Option<Purchase> {
    let shown = || Purchase::ALL.iter().map(|(way, _)| *way).find(|way| way.label() == word);
    Purchase::from_name(word).or_else(shown).or_else(|| (word == "fallback").then_some(Purchase::Fallback))
}

fn titled_way(way: Purchase) -> String {
    if way.label() == way.name() {
        format!("{way}: a way to buy")
    } else {
        format!("{way}: a way to buy, in tables \"{}\"", way.label())
    }
}

/// What a way to buy is.
const fn about(way: Purchase) -> &'static str {
    match way {
        Purchase::OnDemand => {
            "By the hour at a fixed price. It can be released at any time, and is not taken away."
        }
        Purchase::Spot => {
            "By the hour at a lower price, for capacity that nobody else wants. It may be taken away at any time: what \
             was not saved is done again, and waiting for new capacity is not paid. A stage is offered it only where it \
             saves its work in durable storage, runs in pieces or tolerates interruption."
        }
        Purchase::Fallback => {
            "Spot capacity with on-demand to fall back on, for a job with a deadline. The stage runs on spot as long as \
             capacity comes back in time, and goes on with a machine on-demand from the last moment at which its end is \
             certain. Its cost is that of the expected hours of each; its work must be saved in durable storage or run \
             in pieces."
        }
        Purchase::Month => {
            "A whole month, paid whole. Hours beyond it may be bought on-demand; runs and stages share it."
        }
        Purchase::Year => "A year's commitment, paid whole.",
        Purchase::ThreeYears => "Three years' commitment, paid whole.",
        Purchase::Owned => {
            "A machine that is there and paid already, stated in `[where] owned`. It costs nothing more; its time counts, \
             and so does moving data to it. Stages of which none waits for the other never get the same machine: who gets it \
             is chosen so that no other way of sharing is cheaper within the limits, or faster with `--fastest`."
        }
    }
}

fn write_rule(rule: &Rule, style: Style, out: &mut dyn Write) -> std::io::Result<()> {
    heading(&format!("{}: {}", rule.id, rule.says), style, out)?;
    section("what it does", &[rule.more.to_owned()], style, out)?;
    if !rule.needs.is_empty() {
        section("needs", &[rule.needs.to_owned()], style, out)?;
    }
    section("source", &[rule.source.to_owned()], style, out)?;
    let aliases: Vec<String> =
        ALIASES.iter().filter(|(_, of)| *of == rule.id).map(|(alias, _)| (*alias).to_owned()).collect();
    section("also known as", &aliases, style, out)?;
    let lines: Vec<String> = rule.thresholds().map(threshold_line).collect();
    section("thresholds, to be set in [rules]", &lines, style, out)
}

/// `gpu_min_samples = 100,000 samples (A-L2; document A, layer 2)`.
fn threshold_line(threshold: Threshold) -> String {
    let spec = threshold.spec();
    let value = if spec.default >= 1000.0 { thousands(spec.default) } else { format!("{}", spec.default) };
    format!("{threshold} = {value} {} ({}; {})", spec.unit, spec.rule, spec.source)
}

/// The message for a word that nothing here bears.
fn unknown(id: &str) -> Diagnostic {
    let names = rules()
        .map(|r| r.id)
        .chain(ALIASES.iter().map(|(alias, _)| *alias))
        .chain(Reason::ALL.iter().map(|(_, name)| *name))
        .chain(Code::ALL.iter().map(|(_, name)| *name))
        .chain(Threshold::ALL.iter().map(|(_, name)| *name))
        .chain(Purchase::ALL.iter().map(|(_, name)| *name));
    let unknown = Diagnostic::error(Code::UnknownName, None, format!("nothing is called {id:?}"));
    match closest(id, names) {
        Some(name) => unknown.hint(format!("did you mean `{name}`?")),
        None => unknown.hint("type `plan explain` for all that can be explained"),
    }
}
