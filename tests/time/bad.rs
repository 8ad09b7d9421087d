//! Questions that cannot be answered, with their messages.

use super::plan;
use plan::cli::Exit;

#[test]
fn each_mistake_is_told() {
    let resnet = ["--architecture", "resnet50"];
    for (args, message) in [
        (
            &["--architecture", "resnet5", "--samples", "1M", "--epochs", "1"][..],
            "`--architecture` is \"resnet5\": not in the table of models; did you mean `resnet-50`?",
        ),
        (
            &["--family", "cnnn", "--params", "1M", "--tokens", "1M"],
            "`--family` is \"cnnn\": no model family; allowed: cnn, vit",
        ),
        (
            &["--samples", "1M", "--epochs", "1"],
            "error[missing-key]: what work? neither a workload nor a model is named; add `--architecture NAME`",
        ),
        (
            &[resnet[0], resnet[1], "--samples", "1M"],
            "error[missing-key]: `--samples` without `--epochs`; add `--epochs N`",
        ),
        (
            &[resnet[0], resnet[1], "--epochs", "3"],
            "neither `--samples` nor `--tokens` is given; add `--samples N --epochs N`",
        ),
        (
            &[resnet[0], resnet[1], "--samples", "1M", "--epochs", "1", "--on", "A1000-80GB"],
            "error[unknown-name]: `--on` is \"A1000-80GB\": neither an accelerator nor an instance type of the catalog; did you mean `A100-80GB`?",
        ),
        (
            &[resnet[0], resnet[1], "--samples", "1M", "--epochs", "1", "--mfu", "1.2"],
            "error[bad-value]: `--mfu` is 1.2; allowed: a share from 0.001 to 0.87",
        ),
        (
            &[resnet[0], resnet[1], "--samples", "1M", "--epochs", "1", "--mfu=-0.1"],
            "error[bad-value]: `--mfu` is -0.1; allowed: a share from 0.001 to 0.87",
        ),
        (
            &[
                resnet[0],
                resnet[1],
                "--samples",
                "1M",
                "--epochs",
                "1",
                "--batch-size",
                "100",
                "--count",
                "8",
            ],
            "`--batch-size` is 100, which does not divide over 8 devices; write `--batch-size 96`",
        ),
        (
            &[resnet[0], resnet[1], "--samples", "0", "--epochs", "1"],
            "`--samples` is \"0\"; allowed: a number from 1 to 1e15",
        ),
        (
            &[resnet[0], resnet[1], "--samples", "1M", "--epochs", "1", "--count", "1e300"],
            "`--count` is \"1e300\"; allowed: a number from 1 to 100000",
        ),
        (
            &[resnet[0], resnet[1], "--samples", "1M", "--epochs", "1", "--count", "1.5"],
            "`--count` is \"1.5\"; allowed: a whole number from 1 to 100000",
        ),
        (
            &[resnet[0], resnet[1], "--samples", "-5", "--epochs", "1"],
            "`--samples` is \"-5\"; allowed: a number",
        ),
        (
            &[resnet[0], resnet[1], "--samples", "1M", "--epochs", "1", "--precision", "fp12"],
            "`--precision` is \"fp12\"; allowed: fp32, amp",
        ),
        (
            &["--family", "recsys", "--params", "1M", "--samples", "1M", "--epochs", "1", "--on", "T4"],
            "error[missing-key]: the duration is unknown",
        ),
        (
            &[resnet[0], resnet[1], "--samples", "1M", "--epochs", "1", "--mfu", "0.82", "--on", "H100-SXM"],
            "`--mfu` is 0.82, more than a bare matrix product reaches on H100-SXM; allowed: at most 0.8",
        ),
        (
            &[
                resnet[0],
                resnet[1],
                "--samples",
                "1M",
                "--epochs",
                "1",
                "--batch-size",
                "10",
                "--accumulate",
                "4",
            ],
            "`--batch-size` is 10, which does not divide into 4 passes on each device; write `--batch-size 8`",
        ),
        (&["--cases", "no/such/file.csv"], "error[unreadable]: no/such/file.csv: no such file"),
    ] {
        let question: Vec<&str> = std::iter::once("time").chain(args.iter().copied()).collect();
        let (exit, out, err) = plan(&question);
        assert_eq!(exit, Exit::Bad, "{args:?}\n{out}{err}");
        assert!(out.is_empty() && err.contains(message) && !err.contains("NaN"), "{args:?}: {err}");
        assert!(err.lines().last().is_some_and(|line| line.starts_with("error[")), "{err}");
    }
}

#[test]
fn all_mistakes_are_told_at_once() {
    let args = ["time", "--architecture", "resnet5", "--mfu", "0.9", "--batch-size", "10", "--count", "4"];
    let (exit, out, err) = plan(&args);
    assert_eq!((exit, out.as_str()), (Exit::Bad, ""));
    let told =
        ["`--mfu` is 0.9", "neither `--samples`", "`--batch-size` is 10", "`--architecture` is \"resnet5\""];
    assert_eq!(err.lines().count(), told.len(), "{err}");
    assert!(told.iter().all(|part| err.contains(part)), "{err}");
}

#[test]
fn a_high_utilisation_is_doubted() {
    let args = [
        "time",
        "--architecture",
        "resnet50",
        "--samples",
        "1M",
        "--epochs",
        "1",
        "--on",
        "T4",
        "--mfu",
        "0.7",
    ];
    let (exit, _, err) = plan(&args);
    assert_eq!(exit, Exit::Done);
    assert!(err.contains("above all published training runs"), "{err}");
}
