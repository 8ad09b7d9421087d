//! `plan vram`: the memory of one device, the cards that offer it, and the ladder down to smaller ones.

pub mod cases;
mod json;
mod offers;
pub mod question;
mod text;
mod typed;

use super::args::vram::VramArgs;
use super::{Env, Exit, Stop, report, workload};
use crate::catalog::alias::Found;
use crate::catalog::{AcceleratorId, Accelerators, Catalog, Stack};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::job::{Job, Stage, StageKind};
use crate::model::Mode;
use crate::read::Source;
use crate::rules::memory::Demand;
use crate::units::{Band, Bytes};
use crate::vram::describe::request_of;
use crate::vram::document::{GRADIENT_COPIES, rule_of_thumb};
use crate::vram::floor::{States, floor};
use crate::vram::ladder::{Rung, climb, largest_batch};
use crate::vram::{Estimate, Request, estimate};
use std::io::Write;

/// A card and whether the need fits on it.
#[derive(Debug, Clone, PartialEq)]
struct Card {
    name: String,
    usable: Bytes,
    /// The memory is a guess from the size as sold.
    guessed: bool,
}

/// All that is shown.
#[derive(Debug)]
struct Answer {
    what: String,
    request: Request,
    estimate: Estimate,
    document: Bytes,
    /// Gradient copies in it: none without training.
    copies: f64,
    /// Weights, gradients and optimizer states: what is exactly known.
    floor: Bytes,
    /// What is needed was seen in a run; the largest batch is not known then.
    seen: bool,
    /// Offers on whose cards it fits, the cheapest first; empty where they were not asked for.
    offers: Vec<offers::Fitting>,
    /// Cards that run CUDA, by usable memory.
    cards: Vec<Card>,
    ladder: Vec<Rung>,
    /// The card that was asked about, and the most samples per pass on it.
    gpu: Option<(Card, Option<f64>)>,
    notes: Vec<String>,
}

/// One question, from the flags or from a stage of a workload.
struct Asked {
    what: String,
    request: Request,
    notes: Vec<String>,
    /// What was seen while it ran.
    seen: Option<Bytes>,
    /// A-V1 and its gradient copies as a plan works them out, where a stage is asked about.
    quick: Option<(Bytes, f64)>,
}

impl Asked {
    /// Of a stage; none where it runs no model.
    fn of(job: &Job, stage: &Stage) -> Option<Self> {
        let model = stage.model.as_ref()?;
        let named = model.architecture.as_deref().map_or_else(|| model.family.to_string(), str::to_owned);
        let seen = stage.measured_memory.map(|seen| {
            format!("needed is what was seen (measured_memory = {}); all else is estimated", seen.gib())
        });
        let at_once =
            (!stage.kind.trains() && stage.kind != StageKind::Serve).then(|| match model.micro_batch {
                Some(micro) => format!("micro_batch = {micro}: so many samples run at once"),
                None => format!(
                    "all of batch_size = {} runs at once; where fewer do, say so: micro_batch = …",
                    model.batch_size
                ),
            });
        let demand = Demand::of(stage, &job.thresholds, 1.0);
        Some(Self {
            what: format!("stage {}: {named}", stage.name),
            request: request_of(model, 1.0),
            notes: seen.into_iter().chain(at_once).collect(),
            seen: stage.measured_memory,
            quick: demand.map(|demand| (demand.figure(), demand.copies())),
        })
    }
}

/// A-V1 of a request: all parameters but those of adapters, for its samples and, in training, one gradient.
fn quick_figure(request: &Request, found: &Estimate) -> (Bytes, f64) {
    let copies = if request.mode == Mode::Inference { 0.0 } else { GRADIENT_COPIES };
    let adapters = if matches!(request.mode, Mode::Lora | Mode::Qlora) { found.trained } else { 0.0 };
    (rule_of_thumb(found.params - adapters, request.batch, copies), copies)
}

/// Runs the command.
pub fn run(args: &VramArgs, env: &Env, out: &mut dyn Write, err: &mut dyn Write) -> Result<Exit, Stop> {
    if let Some(path) = &args.cases {
        let source = Source::open(path)?;
        let mut diags = Diagnostics::new();
        cases::answer(&source, out, &mut diags)?;
        return Ok(if report(diags, err) { Exit::Bad } else { Exit::Done });
    }
    let today = args.today.unwrap_or(env.today);
    let table = Accelerators::embedded();
    let mut diags = Diagnostics::new();
    let (question, format) = typed::question(args, &mut diags);
    let gpu = args.gpu.as_deref().and_then(|name| named_card(&table, name, &mut diags));
    if diags.has_errors() {
        return Err(Stop::Diagnostics(diags));
    }
    report(diags, err);
    let catalog = (args.offers || args.workload.is_some()).then(Catalog::embedded);
    let asked: Vec<Asked> = if let (Some(path), Some(catalog)) = (&args.workload, &catalog) {
        let job = workload::job(path, catalog, today, err)?;
        workload::stages(&job, args.stage.as_deref(), |s| s.model.is_some(), " that runs a model")?
            .into_iter()
            .filter_map(|stage| Asked::of(&job, stage))
            .collect()
    } else {
        let asked = typed::with_config(question, args)?.ask()?;
        vec![Asked { what: asked.what, request: asked.request, notes: asked.notes, seen: None, quick: None }]
    };
    let mut refused = false;
    for (at, Asked { what, request, notes, seen, quick }) in asked.into_iter().enumerate() {
        let mut found = estimate(&request);
        countable(&found)?;
        if let Some(seen) = seen {
            // A measurement outranks the estimate, here as in a plan.
            found.needed = Band::exact(seen);
        }
        let (document, copies) = quick.unwrap_or_else(|| quick_figure(&request, &found));
        let answer = Answer {
            what,
            request,
            estimate: found,
            document,
            copies,
            floor: floor_of(&request, found.params, found.trained),
            seen: seen.is_some(),
            offers: catalog
                .as_ref()
                .map(|catalog| offers::fitting(catalog, found.needed.expected, today))
                .unwrap_or_default(),
            cards: cards(&table),
            ladder: climb(&request),
            gpu: gpu.clone().map(|card| {
                let most = if seen.is_some() { None } else { largest_batch(&request, card.usable) };
                (card, most)
            }),
            notes,
        };
        match format {
            typed::Format::Text => {
                if at > 0 {
                    writeln!(out)?;
                }
                text::write(&answer, env, out)?;
            }
            typed::Format::Json => json::write(&answer, out)?,
        }
        refused |= answer.gpu.as_ref().is_some_and(|(card, _)| found.needed.expected > card.usable);
    }
    Ok(if refused { Exit::No } else { Exit::Done })
}

/// An estimate that reaches the largest number of bytes is no figure.
fn countable(found: &Estimate) -> Result<(), Diagnostic> {
    if found.needed.high.max(found.shown.high).get() < u64::MAX {
        return Ok(());
    }
    Err(Diagnostic::error(Code::BadValue, None, "more memory than can be counted is needed (16 EiB)")
        .hint("give a smaller batch, sequence or image"))
}

/// What is exactly known of a request: weights, gradients and optimizer states on one device.
fn floor_of(request: &Request, params: f64, trained: f64) -> Bytes {
    let states = States {
        params,
        trainable: trained,
        mode: request.mode,
        precision: request.precision,
        optimizer: request.optimizer,
        sharding: request.sharding,
    };
    floor(states, request.devices).total
}

fn card(cards: &Accelerators, id: AcceleratorId) -> Option<Card> {
    let card = cards.get(id)?;
    let (usable, from) = card.usable();
    let guessed = from == crate::catalog::accelerator::UsableFrom::Nominal;
    Some(Card { name: card.name.to_string(), usable, guessed })
}

fn named_card(cards: &Accelerators, name: &str, diags: &mut Diagnostics) -> Option<Card> {
    let found = cards.find(name);
    if let Found::Ambiguous { meaning, .. } = &found {
        diags.push(Diagnostic::warning(Code::AmbiguousName, None, format!("`--gpu` is {name:?}: {meaning}")));
    }
    if let Some(id) = found.id() {
        return card(cards, id);
    }
    let near: Vec<&str> = match &found {
        Found::Unknown { near } => near.iter().map(|id| cards.name(*id)).collect(),
        Found::Card(_) | Found::Ambiguous { .. } => Vec::new(),
    };
    let message = format!("`--gpu` is {name:?}: no such accelerator in the catalog");
    let unknown = Diagnostic::error(Code::UnknownName, None, message);
    diags.push(match near.first() {
        Some(near) => unknown.hint(format!("did you mean `{near}`?")),
        None => unknown,
    });
    None
}

/// CUDA cards by what a program can use of their memory, then by name.
fn cards(table: &Accelerators) -> Vec<Card> {
    let mut cards: Vec<Card> = table
        .iter()
        .filter(|(_, accelerator)| accelerator.stack == Stack::Cuda)
        .filter_map(|(id, _)| card(table, id))
        .collect();
    cards.sort_by(|a, b| a.usable.cmp(&b.usable).then_with(|| a.name.cmp(&b.name)));
    cards
}
