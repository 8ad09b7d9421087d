//! Logs as different options and drivers write them.

use super::*;

fn read_text(text: &str) -> (Option<UsageLog>, Vec<String>) {
    let mut diags = Diagnostics::new();
    let log = read("log".into(), text, &mut diags);
    (log, diags.sorted().iter().map(ToString::to_string).collect())
}

fn clean(text: &str) -> UsageLog {
    let (log, messages) = read_text(text);
    assert!(messages.is_empty(), "{messages:?}");
    log.unwrap()
}

/// Label, utilisation in percent and memory in MiB of every sample.
fn samples(log: &UsageLog) -> Vec<(String, Option<f64>, Option<u64>)> {
    let of = |s: &Sample| {
        let percent = s.utilisation.map(|u| (u * 1000.0).round() / 10.0);
        (log.gpus[s.gpu].label.clone(), percent, s.memory.map(|m| m.get() / 1_048_576))
    };
    log.samples.iter().map(of).collect()
}

fn sample(
    label: &str,
    percent: impl Into<Option<f64>>,
    mib: impl Into<Option<u64>>,
) -> (String, Option<f64>, Option<u64>) {
    (label.to_owned(), percent.into(), mib.into())
}

#[test]
fn the_columns_are_those_of_the_heading() {
    // The default columns of a recent driver and of an older one, -s m alone, -s um, and --format csv.
    let log = clean(
        "# gpu    pwr  gtemp  mtemp     sm    mem    enc    dec    jpg    ofa   mclk   pclk \n\
         # Idx      W      C      C      %      %      %      %      %      %    MHz    MHz \n\
         \x20   0    119     59      -    100     38      0      0      0      0   6800   1665 \n\
         \x20   1     24     36      -      0      0      0      0      0      0    405    300 \n",
    );
    assert_eq!(samples(&log), [sample("0", 100.0, None), sample("1", 0.0, None)]);
    let log = clean(
        "# gpu   pwr  temp    sm   mem   enc   dec  mclk  pclk\n# Idx     W     C     %     %     %     %   MHz   MHz\n\
         \x20   0    47    36     7     1     0     0  3615   999\n",
    );
    assert_eq!(samples(&log), [sample("0", 7.0, None)]);
    let log = clean("# gpu     fb   bar1   ccpm\n# Idx     MB     MB     MB\n    0  13200      5      0\n");
    assert_eq!(samples(&log), [sample("0", None, 13_200)]);
    let log = clean(
        "#gpu, sm, mem, enc, dec, fb, bar1\n#Idx, %, %, %, %, MB, MB\n0, 55, 20, 0, 0, 8000, 5\n1, -, -, -, -, -, -\n",
    );
    assert_eq!(samples(&log), [sample("0", 55.0, 8000), sample("1", None, None)]);
}

#[test]
fn headings_repeat_and_may_change() {
    let log = clean(
        "# gpu     sm    mem\n# Idx      %      %\n    0     10      1\n# gpu     sm    mem\n# Idx      %      %\n\
         \x20   0     20      2\n# gpu     fb     sm\n# Idx     MB      %\n    0    500     30\n",
    );
    assert_eq!(samples(&log), [sample("0", 10.0, None), sample("0", 20.0, None), sample("0", 30.0, 500)]);
}

#[test]
fn times_make_a_span_also_over_midnight() {
    let times = |text| clean(text).samples.iter().map(|s| s.at.unwrap()).collect::<Vec<_>>();
    let dated = times(
        "#Date       Time        gpu     sm\n#YYYYMMDD   HH:MM:SS    Idx      %\n 20261231   23:59:58      0     10\n\
         \x2020270101   00:00:03      0     20\n",
    );
    assert!((dated[1] - dated[0] - 5.0).abs() < 1e-6, "{dated:?}");
    let undated = times(
        "#Time        gpu     sm\n#HH:MM:SS    Idx      %\n 23:59:58      0     10\n 00:00:03      0     20\n",
    );
    assert!((undated[1] - undated[0] - 5.0).abs() < 1e-6, "{undated:?}");
    let stamped = times(
        "timestamp, index, utilization.gpu [%]\n2026/02/28 23:59:59.500, 0, 10 %\n2026/03/01 00:00:00.250, 0, 20 %\n",
    );
    assert!((stamped[1] - stamped[0] - 0.75).abs() < 1e-4, "{stamped:?}");
}

#[test]
fn a_query_is_read_with_and_without_units() {
    let with = clean(
        "index, name, utilization.gpu [%], memory.used [MiB], memory.total [MiB]\n\
         0, Tesla T4, 98 %, 7234 MiB, 15360 MiB\n1, Tesla T4, [N/A], [Not Supported], 15360 MiB\n",
    );
    let without = clean(
        "index, name, utilization.gpu [%], memory.used [MiB], memory.total [MiB]\n\
         0, Tesla T4, 98, 7234, 15360\n1, Tesla T4, N/A, N/A, 15360\n",
    );
    assert_eq!(samples(&with), [sample("0", 98.0, 7234), sample("1", None, None)]);
    assert_eq!(with, without);
    assert_eq!(with.gpus[0].name.as_deref(), Some("Tesla T4"));
    assert_eq!(with.gpus[1].memory, Some(Bytes::from_mib(15_360.0)));
    // Other marks tell GPUs apart as well.
    let bus = clean("pci.bus_id, utilization.gpu [%]\n00000000:00:1E.0, 5 %\n00000000:00:1F.0, 6 %\n");
    assert_eq!(samples(&bus), [sample("00000000:00:1E.0", 5.0, None), sample("00000000:00:1F.0", 6.0, None)]);
}

#[test]
fn rows_that_do_not_say_of_which_gpu_they_are_count_as_one_with_a_warning() {
    let (log, messages) =
        read_text("utilization.gpu [%], memory.used [MiB]\n40 %, 1024 MiB\n60 %, 2048 MiB\n");
    assert_eq!(samples(&log.unwrap()), [sample("all", 40.0, 1024), sample("all", 60.0, 2048)]);
    assert_eq!(messages.len(), 1);
    assert!(messages[0].contains("add `index` to --query-gpu"), "{messages:?}");
}

#[test]
fn garbled_lines_are_named_and_the_rest_is_read() {
    let (log, messages) = read_text(
        "NVIDIA-SMI has warmed up\n# gpu     sm     fb\n# Idx      %     MB\n    0     10    100\n    0     1\n    x     10    100\n\
         \x20   0    130    100\n    0     20    200\n# gpu   \n    0     30    300\n    0     40    3\u{fffd}0\n    0",
    );
    let log = log.unwrap();
    assert_eq!(samples(&log), [sample("0", 10.0, 100), sample("0", 20.0, 200), sample("0", 30.0, 300)]);
    assert_eq!(log.unread, [1, 5, 6, 7, 9, 11, 12]);
    assert_eq!(messages, ["log:1:1: warning[syntax]: 7 of 12 lines could not be read: 1, 5–7, 9, 11–12"]);
}

#[test]
fn many_bad_lines_are_named_in_part() {
    let mut text = "# gpu     sm\n# Idx      %\n".to_owned();
    for _ in 0..20 {
        text.push_str("    0     10\n    0\n");
    }
    let (log, messages) = read_text(&text);
    assert_eq!(log.unwrap().unread.len(), 20);
    assert!(messages[0].ends_with("4, 6, 8, 10, 12, 14, 16, 18, 20, 22 …"), "{messages:?}");
}

#[test]
fn what_is_no_log_of_gpus_is_refused() {
    for (text, message) in [
        ("", "the log is empty"),
        ("\n\n", "the log is empty"),
        ("1758000000,30,1000\n1758000010,70,2500\n", "none of 2 lines is a reading"),
        ("# gpu     sm\n# Idx      %\n", "none of 2 lines is a reading"),
        (
            "# gpu   pid  type    sm   mem\n# Idx     #   C/G     %     %\n    0  2635     C    98    85\n",
            "one row per process",
        ),
    ] {
        let (log, messages) = read_text(text);
        assert_eq!((log, messages.len()), (None, 1), "{text}");
        assert!(messages[0].contains(message) && messages[0].contains("error"), "{messages:?}");
    }
}

#[test]
fn encodings_of_redirections_are_understood() {
    let text = "# gpu     sm\n# Idx      %\n    0     10\n";
    let utf16: Vec<u8> =
        [0xFF, 0xFE].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    assert_eq!(decoded(&utf16), text);
    let marked: Vec<u8> = [0xEF, 0xBB, 0xBF].into_iter().chain(text.bytes()).collect();
    assert_eq!(decoded(&marked), text);
    assert_eq!(clean(&text.replace('\n', "\r\n")), clean(text));
}
