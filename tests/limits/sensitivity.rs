//! The changes that are said to make another plan win do, and slightly smaller ones do not.

use super::{MACHINES, catalog_of, job_of};
use plan::catalog::Catalog;
use plan::plan::Plan;
use plan::plan::sensitivity::{Bound, Lever, Sensitivity};

/// Hours of three stages on each machine, the second and third after the first.
const WORK: [(&str, &str, [f64; 4]); 3] = [
    ("a", "", [20.0, 11.0, 6.0, 3.5]),
    ("b", "\"a\"", [30.0, 14.0, 9.0, 4.0]),
    ("c", "\"a\"", [8.0, 5.0, 2.0, 1.0]),
];

fn stages(of: &[(&str, &str, [f64; 4])], change: Option<(&str, usize, f64)>) -> String {
    let mut text = String::new();
    for (name, after, hours) in of {
        text += &format!(
            "[[stage]]\nname = \"{name}\"\nkind = \"analyze\"\nstartup = \"0s\"\nclass = \"cpu\"\nafter = [{after}]\nmeasured = ["
        );
        for (at, ((machine, ..), hours)) in MACHINES.iter().zip(hours).enumerate() {
            let factor = change.filter(|(n, m, _)| n == name && *m == at).map_or(1.0, |(_, _, f)| f);
            text += &format!("{{ on = \"acme/{machine}\", time = \"{}s\" }}, ", hours * 3600.0 * factor);
        }
        text += "]\n";
    }
    text
}

fn plan_of(catalog: &Catalog, limits: &str, stages: &str) -> Plan {
    plan::plan(&job_of(catalog, &format!("{limits}\n{stages}")), catalog)
}

fn taken(plan: &Plan) -> Vec<(String, String)> {
    let choice = |s: &plan::plan::StagePlan| {
        s.outcome.as_ref().map_or_else(
            |_| ("nothing".to_owned(), String::new()),
            |c| (c.instance.clone(), c.purchase.to_string()),
        )
    };
    plan.stages.iter().map(choice).collect()
}

fn machine(of: &Sensitivity) -> usize {
    MACHINES.iter().position(|(name, ..)| of.rent == format!("acme {name}")).expect("a machine of the table")
}

#[test]
fn more_work_by_the_factor_changes_the_plan_and_less_does_not() {
    let catalog = super::catalog("sensitivity-work.toml");
    let mut bounds = Vec::new();
    for limits in
        ["", "[limits]\ndeadline = \"26h\"", "[limits]\ndeadline = \"17h\"", "[limits]\ndeadline = \"9h\""]
    {
        let plan = plan_of(&catalog, limits, &stages(&WORK, None));
        let told: Vec<&Sensitivity> =
            plan.sensitivity.iter().filter(|s| s.lever == Lever::Duration).collect();
        assert!(!told.is_empty(), "{limits}");
        for s in told {
            let at = |factor: f64| {
                let change = (s.stage.as_str(), machine(s), factor);
                plan_of(&catalog, limits, &stages(&WORK, Some(change)))
            };
            assert_eq!(taken(&at(s.factor * 0.9995)), taken(&plan), "{limits} {s}");
            let after = at(s.factor * 1.0005);
            // Where nothing keeps the deadline any more, the fastest run is shown, and it is not kept.
            assert!(
                taken(&after) != taken(&plan) || (s.bound == Bound::Deadline && !after.holds()),
                "{limits} {s}"
            );
            bounds.push(s.bound);
        }
    }
    assert!(bounds.contains(&Bound::Cost) && bounds.contains(&Bound::Deadline), "{bounds:?}");
}

#[test]
fn a_price_and_a_hazard_higher_by_the_factor_change_the_plan_and_less_does_not() {
    let prices = |machine: usize, dearer: f64, oftener: f64| {
        let mut at = 0;
        move |price: f64| {
            let (dearer, oftener) = if at == machine { (dearer, oftener) } else { (1.0, 1.0) };
            at += 1;
            let (on_demand, spot) = (price * dearer, price * 0.7 * dearer);
            format!(
                "{{ region = \"r\", on_demand = {on_demand}, spot = {spot}, interruption = \"{}/h\" }}",
                0.02 * oftener
            )
        }
    };
    let catalog = |machine, dearer, oftener| {
        let next = std::cell::RefCell::new(prices(machine, dearer, oftener));
        catalog_of("sensitivity-price.toml", move |price| (next.borrow_mut())(price))
    };
    let base = catalog(0, 1.0, 1.0);
    let mut levers = Vec::new();
    for (limits, purchase) in [("", "spot"), ("", "on-demand"), ("[limits]\ndeadline = \"16h\"", "spot")] {
        let one = format!("{}purchase = \"{purchase}\"\n", stages(&WORK[..1], None));
        let plan = plan_of(&base, limits, &one);
        for s in plan.sensitivity.iter().filter(|s| s.lever != Lever::Duration) {
            let at = |factor| match s.lever {
                Lever::Price => catalog(machine(s), factor, 1.0),
                _ => catalog(machine(s), 1.0, factor),
            };
            assert_eq!(taken(&plan_of(&at(s.factor * 0.9995), limits, &one)), taken(&plan), "{limits} {s}");
            let after = plan_of(&at(s.factor * 1.0005), limits, &one);
            assert_ne!(taken(&after), taken(&plan), "{limits} {s}");
            if let Some(winner) = &s.winner {
                assert_eq!(*winner, format!("acme {} {}", taken(&after)[0].0, taken(&after)[0].1), "{s}");
            }
            levers.push(s.lever);
        }
    }
    assert!(levers.contains(&Lever::Price) && levers.contains(&Lever::Hazard), "{levers:?}");
}
