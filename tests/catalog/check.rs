//! `plan catalog check` and `show`, from the command line to the exit status.

use super::files::path;
use plan::catalog::Catalog;
use plan::catalog::lint::check;
use plan::cli::{Env, run};
use plan::diag::{Code, Severity};
use plan::units::Date;

fn today() -> Date {
    Date::new(2026, 11, 30).unwrap()
}

/// Exit status, standard output, standard error.
fn plan(args: &[&str]) -> (u8, String, String) {
    let env = Env { today: today(), width: None, color: false };
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let args = std::iter::once("plan").chain(args.iter().copied()).map(Into::into);
    let exit = run(args, &env, &mut out, &mut err);
    (exit.status(), String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

fn file(name: &str) -> String {
    path(name).display().to_string()
}

#[test]
fn a_clean_file_passes() {
    let acme = file("acme.toml");
    let (status, out, err) = plan(&["catalog", "check", &acme]);
    let expected =
        format!("{acme}: 6 offers of acme, prices of 2026-10-01 to 2026-11-01: no errors, no warnings\n");
    assert_eq!((status, out, err), (0, expected, String::new()));
}

#[test]
fn mistakes_end_with_status_2_and_oddities_do_not() {
    let (mistakes, odd) = (file("mistakes.csv"), file("odd.toml"));
    let (status, out, err) = plan(&["catalog", "check", &odd, &mistakes]);
    assert_eq!(status, 2);
    let expected = format!(
        "{odd}: 4 offers of acme, prices of 2026-11-01: no errors, 8 warnings\n\
         {mistakes}: 3 offers of acme, prices of 2026-11-01: 15 errors, no warnings\n"
    );
    assert_eq!(out, expected);
    assert_eq!(err.lines().count(), 23, "{err}");
    assert_eq!(plan(&["catalog", "check", &odd]).0, 0);
    let (status, out, err) = plan(&["catalog", "check", "no-such-file.toml"]);
    assert_eq!((status, out.as_str()), (2, ""));
    assert_eq!(err, "error[unreadable]: no-such-file.toml: no such file\n");
}

#[test]
fn each_oddity_is_named() {
    let (diags, _) = check(&Catalog::embedded(), &[path("odd.toml")], today());
    let found = diags.sorted();
    let line = |n: u32| {
        let of_line = found.iter().filter(|d| d.place.as_ref().is_some_and(|p| p.line == n));
        of_line.map(|d| (d.code, d.message.clone())).collect::<Vec<_>>()
    };
    assert!(found.iter().all(|d| d.severity == Severity::Warning));
    let has = |n, code, words: &str| {
        assert!(
            line(n).iter().any(|(c, message)| *c == code && message.contains(words)),
            "{n} {words}: {found:?}"
        );
    };
    has(11, Code::OddPrice, "spot at 2.29/h is equal to on-demand");
    has(19, Code::OddPrice, "under a tenth of the median");
    has(19, Code::OddPrice, "8 GPUs cost 2.29/h, one costs 2.29/h there");
    has(28, Code::OddPrice, "8 GPUs cost 146.56/h, one costs 2.29/h there");
    has(28, Code::OddPrice, "`year` is 76.00");
    has(34, Code::AmbiguousName, "taken for A100-40GB");
    has(36, Code::WrongSpec, "says 80 GB");
    has(36, Code::OddPrice, "under a tenth of the median");
}

#[test]
fn the_embedded_prices_have_no_mistakes_and_known_oddities() {
    let pricing = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("pricing");
    let (diags, summaries) = check(&Catalog::embedded(), &[pricing], today());
    let found = diags.sorted();
    assert!(found.iter().all(|d| d.severity == Severity::Warning), "{found:?}");
    // Spot without a saving: 80 offers of alibaba, 12 of runpod, 3 of azure, as found in their lists.
    let no_saving = found.iter().filter(|d| d.message.ends_with("no saving")).count();
    // And one old card that is sold off by two providers: 1 offer of verda, 8 of lambda.
    let far_below = |of: &str| found.iter().filter(|d| d.message.starts_with(of)).count();
    assert_eq!((far_below("verda 1V100.6V"), far_below("lambda gpu_8x_v100")), (1, 8));
    assert_eq!((found.len(), no_saving), (104, 95));
    assert_eq!(summaries.iter().map(|s| s.offers).sum::<usize>(), 5303);
    assert_eq!(summaries.len(), 19);
}

#[test]
fn show_lists_providers_with_dates_and_sources() {
    let (status, out, err) = plan(&["catalog", "show"]);
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.contains("aws: 879 offers, "), "{out}");
    assert!(out.contains("  2026-07-20  "), "{out}");
    let acme = file("acme.toml");
    let (status, out, _) = plan(&["catalog", "show", "--catalog", &acme, "--catalog-only"]);
    assert_eq!(status, 0);
    assert_eq!(
        out,
        "acme: 6 offers, 2 instance types, 3 regions, in EUR, 1 tariff\n       4  2026-11-01  contract 4711\n       \
         2  2026-10-01  contract 4711\n"
    );
    assert_eq!(plan(&["catalog", "show", "--catalog-only"]).0, 2);
}

#[test]
fn another_machine_of_the_same_name_and_a_currency_without_a_rate_are_told() {
    let file = std::env::temp_dir().join(format!("plan-check-{}.toml", std::process::id()));
    std::fs::write(
        &file,
        "provider = \"aws\"\ncurrency = \"CHF\"\nas_of = 2026-11-01\nsource = \"s\"\n[[instance]]\n\
         name = \"g6e.12xlarge\"\nvcpus = 48\nmemory = \"384 GB\"\ngpu = \"L40S\"\ngpu_count = 4\n\
         prices = [{ region = \"us-east-1\", on_demand = 9, month = 90 }]\n",
    )
    .unwrap();
    let (diags, _) = check(&Catalog::embedded(), std::slice::from_ref(&file), today());
    std::fs::remove_file(&file).unwrap();
    let found: Vec<(Code, String)> = diags.sorted().into_iter().map(|d| (d.code, d.message)).collect();
    let has = |code: Code, words: &str| found.iter().any(|(c, m)| *c == code && m.contains(words));
    assert!(has(Code::WrongSpec, "384 GiB in the embedded catalog, not 48 and 358 GiB"), "{found:?}");
    assert!(has(Code::NoRate, "no exchange rate for CHF"), "{found:?}");
    assert!(
        has(Code::OddPrice, "`month` is 90.00, 0.014 times the price of as many on-demand hours"),
        "{found:?}"
    );
    assert_eq!(found.len(), 3);
}

#[test]
fn a_date_that_has_not_come_and_a_price_far_below_the_others_are_told() {
    let file = std::env::temp_dir().join(format!("plan-future-{}.toml", std::process::id()));
    std::fs::write(
        &file,
        "provider = \"acme\"\ncurrency = \"USD\"\nas_of = 2027-01-15\nsource = \"s\"\n[[instance]]\n\
         name = \"v\"\nvcpus = 6\nmemory = \"23 GiB\"\ngpu = \"V100-16GB\"\ngpu_count = 1\n\
         prices = [\n{ region = \"a\", on_demand = 0.9 },\n{ region = \"b\", on_demand = 2.9, as_of = 2026-11-30 },\n\
         { region = \"c\", on_demand = 2.9 },\n]\n",
    )
    .unwrap();
    let (diags, _) = check(&Catalog::embedded(), std::slice::from_ref(&file), today());
    std::fs::remove_file(&file).unwrap();
    let found = diags.sorted();
    let told: Vec<(u32, &str)> =
        found.iter().map(|d| (d.place.as_ref().unwrap().line, d.message.as_str())).collect();
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.iter().all(|d| d.severity == Severity::Warning && d.code == Code::OddPrice));
    assert!(told.contains(&(12, "2 prices are of 2027-01-15, after today (2026-11-30)")), "{told:?}");
    let low = told.iter().find(|(_, message)| message.contains("under a third")).unwrap();
    assert_eq!(low.0, 12);
    assert!(low.1.starts_with("acme v in a: on-demand is 0.900 USD per GPU and hour"), "{low:?}");
}
