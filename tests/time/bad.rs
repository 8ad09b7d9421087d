//! Questions that cannot be answered, with their messages.

use super::plan;
use plan::cli::Exit;

#[test]
fn each_mistake_is_told() {
    let resnet = ["--architecture", "resnet50"];
    for (args, message) in [
        (&["--architecture", "resnet5", "--samples", "1M", "--epochs", "1"][..], "did you mean resnet-50?"),
        (&["--family", "cnnn", "--params", "1M", "--tokens", "1M"], "did you mean cnn?"),
        (
            &["--samples", "1M", "--epochs", "1"],
            "error[missing-key]: what work? Give a WORKLOAD file, --architecture NAME, or --family",
        ),
        (&[resnet[0], resnet[1], "--samples", "1M"], "--samples without --epochs"),
        (&[resnet[0], resnet[1], "--epochs", "3"], "give --samples with --epochs, or --tokens"),
        (
            &[resnet[0], resnet[1], "--samples", "1M", "--epochs", "1", "--on", "A1000-80GB"],
            "did you mean A100-80GB?",
        ),
        (
            &[resnet[0], resnet[1], "--samples", "1M", "--epochs", "1", "--mfu", "1.2"],
            "it must lie between 0.001 and 0.87",
        ),
        (
            &[resnet[0], resnet[1], "--samples", "1M", "--epochs", "1", "--mfu=-0.1"],
            "it must lie between 0.001 and 0.87",
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
            "--batch-size 100 does not divide over 8 devices",
        ),
        (&[resnet[0], resnet[1], "--samples", "0", "--epochs", "1"], "must be from 1 to 1e15"),
        (
            &[resnet[0], resnet[1], "--samples", "1M", "--epochs", "1", "--count", "1e300"],
            "must be from 1 to 100000",
        ),
        (
            &[resnet[0], resnet[1], "--samples", "1M", "--epochs", "1", "--count", "1.5"],
            "must be a whole number",
        ),
        (&[resnet[0], resnet[1], "--samples", "-5", "--epochs", "1"], "unexpected argument"),
        (&[resnet[0], resnet[1], "--samples", "1M", "--epochs", "1", "--precision", "fp12"], "must be fp32"),
        (
            &["--family", "recsys", "--params", "1M", "--samples", "1M", "--epochs", "1", "--on", "T4"],
            "or a measured time",
        ),
        (
            &[resnet[0], resnet[1], "--samples", "1M", "--epochs", "1", "--mfu", "0.82", "--on", "H100-SXM"],
            "a bare matrix product reaches 0.8 on H100-SXM",
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
            "--batch-size 10 does not divide into 4 passes",
        ),
        (&["--cases", "no/such/file.csv"], "cannot read no/such/file.csv"),
    ] {
        let question: Vec<&str> = std::iter::once("time").chain(args.iter().copied()).collect();
        let (exit, out, err) = plan(&question);
        assert_eq!(exit, Exit::Bad, "{args:?}\n{out}{err}");
        assert!(out.is_empty() && err.contains(message), "{args:?}: {err}");
        assert!(!err.contains("NaN"), "{err}");
    }
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
