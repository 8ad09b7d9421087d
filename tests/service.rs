//! Services: how many servers answer fast enough, how they are bought, what stands idle.

mod buying;
mod published;
mod queue;
mod said;
mod sizing;

use crate::seller::seller;
use plan::catalog::Catalog;
use plan::diag::Diagnostics;
use plan::plan::{Choice, Plan, ServiceFigures, StagePlan};
use plan::read::{Source, workload};
use plan::resolve::{Overrides, resolve};
use plan::units::Date;

/// A plan of one service named `s`, from the rest of its table.
fn serve(rest: &str, catalog: &Catalog) -> Plan {
    planned(&format!("[[stage]]\nname = \"s\"\nkind = \"serve\"\n{rest}\n"), catalog)
}

fn planned(text: &str, catalog: &Catalog) -> Plan {
    let mut diags = Diagnostics::new();
    let raw = workload::read(&Source::new("service.toml", text), &mut diags);
    let job = resolve(&raw, &Overrides::none(Date::new(2026, 11, 30).unwrap()), catalog, &mut diags);
    plan::plan(&job.unwrap_or_else(|| panic!("{:?}", diags.sorted())), catalog)
}

/// The messages of a service that cannot be asked for so.
fn mistakes(rest: &str) -> Vec<String> {
    let text = format!("[[stage]]\nname = \"s\"\nkind = \"serve\"\n{rest}\n");
    let mut diags = Diagnostics::new();
    let raw = workload::read(&Source::new("service.toml", &text), &mut diags);
    let catalog = Catalog::embedded();
    let job = resolve(&raw, &Overrides::none(Date::new(2026, 11, 30).unwrap()), &catalog, &mut diags);
    assert!(job.is_none(), "{rest}");
    diags.sorted().iter().map(ToString::to_string).collect()
}

fn stage(plan: &Plan) -> &StagePlan {
    &plan.stages[0]
}

fn choice(plan: &Plan) -> &Choice {
    stage(plan).outcome.as_ref().unwrap_or_else(|why| panic!("{why:?}, {:?}", stage(plan).nearest_miss))
}

fn figures(plan: &Plan) -> &ServiceFigures {
    choice(plan).service.as_ref().unwrap()
}
