//! Golden runs of the program: standard output, standard error and exit status together. README's console blocks
//! are such runs too. To write them anew: `TRYCMD=overwrite cargo test --test all cli`, then read the difference.

#[test]
fn golden_runs() {
    let cases = trycmd::TestCases::new();
    // Width and colour follow the terminal; the tests have none.
    cases.env("COLUMNS", "80").env("NO_COLOR", "1");
    cases.case("tests/cases/*.trycmd").case("README.md");
}
