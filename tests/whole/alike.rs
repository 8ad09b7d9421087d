//! Stages that ask for the same thing are considered once; the plan is the one of stages that are considered apart.

use plan::catalog::{Catalog, Kinds};
use plan::diag::Diagnostics;
use plan::job::{Alike, Job, StageKind};
use plan::read::{Source, workload};
use plan::resolve::{Overrides, resolve};

/// Twelve stages of four kinds in two rows that meet, with what stands before them.
fn job(head: &str, catalog: &Catalog) -> Job {
    let mut text = head.to_owned();
    for at in 0..12 {
        let (kind, more) = [
            ("prepare", "measured = [{ on = \"8 vCPU\", time = \"6h\" }]"),
            ("mine", "measured = [{ on = \"T4\", time = \"5h\" }]"),
            (
                "train",
                "epochs = 9\ncheckpoint = { every = \"20m\", takes = \"30s\" }\nmeasured = [{ on = \"T4\", time = \"9h\" }]",
            ),
            ("evaluate", "measured = [{ on = \"8 vCPU\", time = \"1h\" }, { on = \"T4\", time = \"3m\" }]"),
        ][at / 2 % 4];
        let after = match at {
            0 | 1 => String::new(),
            11 => "\"s9\", \"s10\"".to_owned(),
            _ => format!("\"s{}\"", at - 2),
        };
        text += &format!(
            "[[stage]]\nname = \"s{at}\"\nkind = \"{kind}\"\nafter = [{after}]\n{more}\noutput = \"1 GB\"\n"
        );
    }
    text += "[[stage]]\nname = \"api\"\nkind = \"serve\"\nmodel = { mode = \"inference\" }\nrequests_per_second = 5\n";
    text += "[[stage]]\nname = \"api-2\"\nkind = \"serve\"\nmodel = { mode = \"inference\" }\nrequests_per_second = 5\n";
    let mut diags = Diagnostics::new();
    let raw = workload::read(&Source::new("alike.toml", &text), &mut diags);
    resolve(&raw, &Overrides::none(super::world::today()), catalog, &mut diags)
        .unwrap_or_else(|| panic!("{:?}", diags.sorted()))
}

/// The same job with a value in each stage that nothing depends on, another one everywhere.
fn apart(job: &Job) -> Job {
    let mut job = job.clone();
    for (at, stage) in job.stages.iter_mut().enumerate() {
        // A service has no video, and nothing else than a service several requests at once.
        if stage.kind == StageKind::Serve {
            stage.video = Some(plan::units::Hours::new(f64::from(u32::try_from(at).unwrap())));
        } else {
            stage.concurrency = 2 + u32::try_from(at).unwrap();
        }
    }
    job
}

/// What stands before the stages of each case.
fn heads() -> [String; 5] {
    let model = "[data]\nsamples = 1_281_167\nsize = \"147 GB\"\n[model]\narchitecture = \"resnet50\"\n\
                 batch_size = 256\nprecision = \"amp\"\noptimizer = \"sgd-momentum\"\n";
    let near = "[where]\nregions = [\"aws/us-east-1\", \"aws/us-east-2\"]\n";
    let heads = [
        // The region of the data is chosen, and everything is priced again.
        near.to_owned(),
        format!("[limits]\ndeadline = \"20h\"\n{near}"),
        "[limits]\ndeadline = \"20h\"\nconfidence = 0.9\n[where]\nregions = [\"aws/us-east-2\"]\n".to_owned(),
        // Fewer machines of one's own than stages that could use them.
        format!("{near}owned = [{{ instance = \"aws/g4dn.xlarge\", count = 1 }}]\n"),
        // Months that several stages share.
        "runs_per_month = 40\ncurrency = \"CNY\"\n[where]\nproviders = [\"tencent\"]\n".to_owned(),
    ];
    heads.map(|head| format!("{head}{model}"))
}

#[test]
fn shared_stages_give_the_plan_of_separate_ones() {
    let catalog = Catalog::embedded();
    let mut seen = Vec::new();
    for head in heads() {
        let job = job(&head, &catalog);
        let apart = apart(&job);
        assert_ne!(Alike::new(&job.stages), Alike::new(&apart.stages));
        let (shared, separate) = (plan::plan(&job, &catalog), plan::plan(&apart, &catalog));
        assert!(shared == separate, "{head}: {:#?}", shared.stages);
        assert!(plan::curve(&job, &catalog, &shared) == plan::curve(&apart, &catalog, &separate), "{head}");
        seen.extend(
            shared.stages.iter().filter_map(|s| s.outcome.as_ref().ok()).map(|c| c.purchase.to_string()),
        );
    }
    for purchase in ["owned", "spot", "month"] {
        assert!(seen.iter().any(|s| s == purchase), "{purchase}");
    }
}

/// The times of a kind, its courses on spot and its deadlines are those of every machine of it.
#[test]
fn machines_of_one_kind_give_the_plan_of_each_by_itself() {
    let catalog = Catalog::embedded();
    let one_by_one = Catalog { kinds: Kinds::default(), ..catalog.clone() };
    assert!(catalog.kinds().is_some() && one_by_one.kinds().is_none());
    for head in heads() {
        let job = job(&head, &catalog);
        assert!(plan::plan(&job, &catalog) == plan::plan(&job, &one_by_one), "{head}");
    }
}
