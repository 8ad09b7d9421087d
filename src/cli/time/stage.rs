//! `plan time WORKLOAD`: how long each stage takes, machine by machine, as the plan sees it. Machines of one kind and
//! number share a line, which names the one that was measured, else the cheapest of those that may be rented.

use super::hardware::{Hardware, hardware};
use super::show::{Line, Rate, Table, Told};
use super::{TimeArgs, on};
use crate::catalog::{Catalog, Instance};
use crate::choose;
use crate::cli::{Stop, workload};
use crate::decide::service::is_unknown;
use crate::decide::{Candidate, Layout, StageCandidates, decide_stage, fit};
use crate::duration::{Duration, Machine, StageClock};
use crate::job::{Job, Stage, StageKind};
use crate::names::Named;
use crate::render::explain::rejection;
use crate::units::number::things;
use crate::units::{Currency, Date};
use crate::vram::need::Needs;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

/// The tables of a workload's stages, or of the one that is named; and the workload's name.
pub(super) fn tables(
    path: &Path,
    args: &TimeArgs,
    catalog: &Catalog,
    today: Date,
    err: &mut dyn Write,
) -> Result<(String, Vec<Table>), Stop> {
    let mut job = workload::job(path, catalog, today, err)?;
    // A time beyond the deadline is an answer here.
    job.limits.deadline = None;
    let asked = args.on.as_deref().map(|name| hardware(name, args.devices(), catalog)).transpose();
    let asked = asked.map_err(|wrong| on(args.on.as_deref().unwrap_or_default(), args, wrong))?;
    let stages = workload::stages(&job, args.stage.as_deref(), |_| true, "")?;
    let tables = stages.into_iter().map(|stage| table(&job, stage, asked.as_ref(), args, catalog, today));
    Ok((job.name.clone(), tables.collect()))
}

/// A stage with all that is known of it.
struct View<'a> {
    job: &'a Job,
    stage: &'a Stage,
    catalog: &'a Catalog,
    clock: StageClock,
    found: StageCandidates,
    today: Date,
}

fn table(
    job: &Job,
    stage: &Stage,
    asked: Option<&Hardware>,
    args: &TimeArgs,
    catalog: &Catalog,
    today: Date,
) -> Table {
    let clock = StageClock::new(stage, catalog);
    let found = decide_stage(job, stage, &clock, catalog);
    let view = View { job, stage, catalog, clock, found, today };
    let mut lines = match asked {
        Some(to) => view.asked(args, to),
        None => view.listed(args),
    };
    lines.sort_by(|a, b| {
        a.place_in_order().total_cmp(&b.place_in_order()).then_with(|| a.machine.cmp(&b.machine))
    });
    let mut notes = if asked.is_none() { view.not_listed() } else { Vec::new() };
    notes.push("the work alone: a plan adds start-up and, on spot, interruptions".to_owned());
    Table { stage: Some(stage.name.clone()), heading: Some(view.heading()), unit: view.unit(), lines, notes }
}

impl View<'_> {
    /// `stage train: resnet50, 1,281,167 samples × 90`.
    fn heading(&self) -> String {
        let Stage { name, kind, model, samples, epochs, trials, .. } = self.stage;
        let what = model.as_ref().map(|m| {
            let what = m.architecture.clone().unwrap_or_else(|| m.family.to_string());
            format!("{what} in {}", m.precision)
        });
        let amount = samples.map(|n| {
            let passes = if *epochs > 1.0 { format!(" × {epochs} epochs") } else { String::new() };
            things(crate::units::number::thousands(n), "sample") + &passes
        });
        let searched = trials.filter(|_| *kind == StageKind::Tune).map(|n| things(n, "trial"));
        let service = (*kind == StageKind::Serve).then(|| "one request".to_owned());
        let amount = if service.is_some() { None } else { amount };
        let parts: Vec<String> = [what, amount, searched, service].into_iter().flatten().collect();
        let kind = if name == kind.name() { String::new() } else { format!(" ({kind})") };
        if parts.is_empty() {
            format!("stage {name}{kind}")
        } else {
            format!("stage {name}{kind}: {}", parts.join(", "))
        }
    }

    fn unit(&self) -> &'static str {
        if self.stage.kind == StageKind::Serve { "requests" } else { "samples" }
    }

    /// The named machine: as the plan sees it where it can do the stage, else as its clock does, or why it cannot.
    fn asked(&self, args: &TimeArgs, to: &Hardware) -> Vec<Line> {
        let named = |candidate: &&Candidate| {
            let Some(instance) = self.catalog.instance(candidate.instance) else { return false };
            if to.instance.name.is_empty() {
                return to
                    .instance
                    .gpu
                    .is_some_and(|gpu| self.key(candidate) == Key::Gpu(gpu.accelerator.0, bits(gpu.count)));
            }
            instance.provider == to.instance.provider
                && instance.name == to.instance.name
                && (candidate.count == to.instances || self.stage.kind == StageKind::Serve)
        };
        let candidates: Vec<&Candidate> = self.found.candidates.iter().filter(named).collect();
        if !candidates.is_empty() {
            return self.lines(candidates, false);
        }
        let machine = args.on.clone().unwrap_or_default();
        vec![Line { machine, count: args.devices(), such_as: None, told: self.directly(to) }]
    }

    /// A machine that nobody sells so, or that the plan turns away.
    fn directly(&self, to: &Hardware) -> Result<Told, String> {
        if let Some(gpu) = to.instance.gpu
            && let Some(card) = self.catalog.accelerator(gpu)
            && let Some(needed) = Needs::new(self.stage, self.catalog)
                .least(gpu.accelerator, f64::from(to.instances) * gpu.count.max(1.0).floor())
        {
            let has = fit::usable(card, gpu.count);
            if has < needed {
                return Err(format!("does not fit: needs {}, has {}", needed.gib(), has.gib()));
            }
        }
        let machine = Machine { instance: &to.instance, instances: to.instances };
        let time = self.clock.time_on(machine).map_err(|why| why.to_string())?;
        let derivation = self.clock.derivation(machine, &time);
        Ok(self.told(time, derivation, None))
    }

    /// Every kind of machine of which there are `--count`; with `--all` every instance type and number.
    fn listed(&self, args: &TimeArgs) -> Vec<Line> {
        let wanted = |candidate: &&Candidate| match (args.count, args.all) {
            (None, true) => true,
            (count, _) => {
                let count = count.unwrap_or(1.0);
                match self.key(candidate) {
                    Key::Gpu(_, n) => n == bits(count),
                    Key::Cpu(_, n) => {
                        self.stage.kind == StageKind::Serve || bits(f64::from(n)) == bits(count)
                    }
                }
            }
        };
        self.lines(self.found.candidates.iter().filter(wanted).collect(), args.all)
    }

    /// One line for each kind and number of machines, or for each candidate.
    fn lines(&self, candidates: Vec<&Candidate>, each: bool) -> Vec<Line> {
        let mut groups: BTreeMap<(Key, usize), Vec<&Candidate>> = BTreeMap::new();
        for (at, candidate) in candidates.into_iter().enumerate() {
            groups.entry((self.key(candidate), if each { at } else { 0 })).or_default().push(candidate);
        }
        groups.into_values().filter_map(|group| self.line(&group)).collect()
    }

    fn line(&self, group: &[&Candidate]) -> Option<Line> {
        let best = group.iter().filter_map(|c| Some((*c, self.catalog.instance(c.instance)?))).min_by(
            |(a, x), (b, y)| {
                let evidence = a.duration.evidence.cmp(&b.duration.evidence);
                let price = self.dollars(a, x).total_cmp(&self.dollars(b, y));
                let time = a.duration.time.expected.total_cmp(&b.duration.time.expected);
                evidence.then(price).then(time).then_with(|| x.name.cmp(&y.name))
            },
        );
        let (candidate, instance) = best?;
        let unknown = is_unknown(&candidate.duration);
        let derivation =
            choose::derivation(self.job, self.stage, self.catalog, &self.clock, &self.found, candidate);
        let rate = match &candidate.layout {
            Layout::Service(service) => Some(service.rate).filter(|r| r.is_finite()),
            _ => None,
        };
        let (machine, count) = match self.key(candidate) {
            Key::Gpu(..) => {
                let gpu = instance.gpu?;
                (self.catalog.accelerators.name(gpu.accelerator).to_owned(), cards(candidate, gpu.count))
            }
            Key::Cpu(..) => (format!("{} vCPU", instance.vcpus), f64::from(instances(candidate))),
        };
        let provider = self.catalog.provider(instance.provider).map_or("", |p| &*p.name);
        let many = match instances(candidate) {
            n if n > 1 => format!("{n} × "),
            _ => String::new(),
        };
        let such_as = Some(format!("{many}{provider}/{}", instance.name));
        let told = if unknown {
            Err("no time of a request is known: measure one".to_owned())
        } else {
            Ok(self.told(candidate.duration, derivation, rate))
        };
        Some(Line { machine, count, such_as, told })
    }

    fn told(&self, time: Duration, derivation: Vec<String>, rate: Option<f64>) -> Told {
        let all =
            self.stage.samples.filter(|_| !matches!(self.stage.kind, StageKind::Tune | StageKind::Serve));
        let per = |hours: crate::units::Hours| all.map(|n| n * self.stage.epochs / hours.as_secs());
        let rate = match (rate, per(time.time.expected), per(time.time.low), per(time.time.high)) {
            (Some(rate), ..) => Some(Rate { mid: rate, low: rate, high: rate }),
            (None, Some(mid), Some(high), Some(low)) => Some(Rate { mid, low, high }),
            _ => None,
        };
        Told {
            time: Some(time),
            rate: rate.filter(|r| r.mid.is_finite() && r.high.is_finite()),
            evidence: time.evidence,
            derivation,
        }
    }

    /// What makes two candidates the same to a reader of the table.
    fn key(&self, candidate: &Candidate) -> Key {
        match self.catalog.instance(candidate.instance) {
            Some(Instance { gpu: Some(gpu), .. }) => {
                Key::Gpu(gpu.accelerator.0, bits(cards(candidate, gpu.count)))
            }
            Some(instance) => Key::Cpu(bits(instance.vcpus), instances(candidate)),
            None => Key::Cpu(0, 0),
        }
    }

    /// The cheapest on-demand hour of a candidate where the workload may rent, in dollars; infinite where there is none.
    fn dollars(&self, candidate: &Candidate, instance: &Instance) -> f64 {
        let provider = self.catalog.provider(instance.provider).map_or("", |p| &*p.name);
        let stale = self.today.months_ago(self.job.stale_after_months.saturating_add(1));
        let open =
            self.catalog.offers.of(candidate.instance).filter_map(|at| self.catalog.offers.get(at)).filter(
                |o| {
                    self.job.place.allows(provider, &o.region, &instance.name)
                        && o.provenance.as_of.is_none_or(|day| day > stale)
                },
            );
        let price = |o: crate::catalog::Offer<'_>| {
            Some(o.on_demand_price()?.as_f64() * self.catalog.rates.factor(o.currency, Currency::USD)?)
        };
        open.filter_map(price).fold(f64::INFINITY, f64::min) * f64::from(instances(candidate))
    }

    /// What is in no line, by reason.
    fn not_listed(&self) -> Vec<String> {
        let name = |id| {
            let instance = self.catalog.instance(id)?;
            Some(format!("{}/{}", self.catalog.provider(instance.provider)?.name, instance.name))
        };
        let line =
            |r: &crate::decide::Rejection| rejection(r, r.near.and_then(|n| name(n.instance)).as_deref());
        let lines: Vec<String> = self.found.rejected.iter().map(line).collect();
        if lines.is_empty() { lines } else { vec![format!("not listed: {}", lines.join("; "))] }
    }
}

/// Machines that work at once; of a service, one server.
fn instances(candidate: &Candidate) -> u32 {
    if matches!(candidate.layout, Layout::Service(_)) { 1 } else { candidate.count }
}

/// Cards that work at once, of a candidate with so many in each machine.
fn cards(candidate: &Candidate, each: f64) -> f64 {
    each * f64::from(instances(candidate))
}

/// A kind and number of machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    /// A card and the bits of how many.
    Gpu(u16, u64),
    /// The bits of the vCPUs, and machines.
    Cpu(u64, u32),
}

const fn bits(n: f64) -> u64 {
    n.to_bits()
}
