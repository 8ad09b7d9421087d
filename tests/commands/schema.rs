//! `plan schema`: every JSON answer holds to the schema, and the schema says nothing that no answer has.

use super::{json, path, plan};
use plan::cli::Exit;
use plan::names::Named;
use serde_json::Value;
use std::collections::BTreeSet;

/// Words of a schema that say nothing about the answer.
const REMARKS: [&str; 5] = ["$schema", "$defs", "title", "description", "required"];

/// Holds an answer to a schema, strictly: a key that the schema does not have is a fault too. Notes the places of the
/// schema that the answer reached.
struct Checker<'a> {
    schema: &'a Value,
    faults: Vec<String>,
    reached: BTreeSet<String>,
}

impl<'a> Checker<'a> {
    fn new(schema: &'a Value) -> Self {
        Self { schema, faults: Vec::new(), reached: BTreeSet::new() }
    }

    /// Whether a value is as a part of the schema says; `at` is the part's place, `key` the value's.
    fn check(&mut self, part: &'a Value, at: &str, value: &Value, key: &str) -> bool {
        self.reached.insert(at.to_owned());
        let before = self.faults.len();
        for (word, says) in part.as_object().unwrap() {
            match word.as_str() {
                "$ref" => {
                    let name = says.as_str().unwrap().strip_prefix("#/$defs/").unwrap();
                    let part = &self.schema["$defs"][name];
                    self.check(part, &format!("{name}:"), value, key);
                }
                "const" => self.must(says == value, key, "another constant"),
                "enum" => {
                    self.must(says.as_array().unwrap().contains(value), key, &format!("no word: {value}"));
                }
                "type" => {
                    let types = says.as_array().map_or_else(|| vec![says], |types| types.iter().collect());
                    let fits = types.iter().any(|t| is(value, t.as_str().unwrap()));
                    self.must(fits, key, &format!("{value} is no {says}"));
                }
                "anyOf" => {
                    let before = self.faults.len();
                    let any = says.as_array().unwrap().iter().enumerate().any(|(n, part)| {
                        self.faults.truncate(before);
                        self.check(part, &format!("{at}|{n}"), value, key)
                    });
                    if any {
                        self.faults.truncate(before);
                    }
                }
                "items" => {
                    for (n, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.check(says, &format!("{at}[]"), item, &format!("{key}[{n}]"));
                    }
                }
                "properties" => self.keys(part, at, value, key),
                word => assert!(REMARKS.contains(&word), "the checker does not know `{word}`"),
            }
        }
        self.faults.len() == before
    }

    fn keys(&mut self, part: &'a Value, at: &str, value: &Value, key: &str) {
        let Some(object) = value.as_object() else { return };
        let properties = part["properties"].as_object().unwrap();
        for required in part["required"].as_array().unwrap() {
            let name = required.as_str().unwrap();
            assert!(properties.contains_key(name), "{at}: `{name}` is required and not described");
            self.must(object.contains_key(name), key, &format!("lacks `{name}`"));
        }
        for (name, value) in object {
            match properties.get(name) {
                Some(part) => {
                    self.check(part, &format!("{at}.{name}"), value, &format!("{key}.{name}"));
                }
                None => self.must(false, key, &format!("`{name}` is not in the schema")),
            }
        }
    }

    fn must(&mut self, holds: bool, key: &str, fault: &str) {
        if !holds {
            self.faults.push(format!("{key}: {fault}"));
        }
    }
}

fn is(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        _ => panic!("the checker does not know the type `{name}`"),
    }
}

/// The places of all keys that a schema describes.
fn places(part: &Value, at: &str, found: &mut BTreeSet<String>) {
    for (name, part) in part["properties"].as_object().into_iter().flatten() {
        let at = format!("{at}.{name}");
        places(part, &at, found);
        found.insert(at);
    }
    for (n, part) in part["anyOf"].as_array().into_iter().flatten().enumerate() {
        places(part, &format!("{at}|{n}"), found);
    }
    if !part["items"].is_null() {
        places(&part["items"], &format!("{at}[]"), found);
    }
}

fn all_places(schema: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    places(schema, "", &mut found);
    for (name, part) in schema["$defs"].as_object().into_iter().flatten() {
        places(part, &format!("{name}:"), &mut found);
    }
    found
}

fn schema(of: &str) -> Value {
    let ran = plan(&["schema", of]);
    assert_eq!((ran.exit, ran.err.as_str()), (Exit::Done, ""));
    serde_json::from_str(&ran.out).unwrap()
}

/// All answers hold to the schema, and every key of the schema is in one of them.
fn hold(schema: &Value, answers: &[(String, Value)]) {
    let mut reached = BTreeSet::new();
    for (name, answer) in answers {
        let mut checker = Checker::new(schema);
        checker.check(schema, "", answer, name);
        assert!(checker.faults.is_empty(), "{}", checker.faults.join("\n"));
        reached.extend(checker.reached);
    }
    let unmet: Vec<String> = all_places(schema).difference(&reached).cloned().collect();
    assert!(unmet.is_empty(), "no answer has {unmet:?}");
}

#[test]
fn every_workloads_plan_holds_to_its_schema() {
    let folder = path("workloads");
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .map(|path| path.to_str().unwrap().to_owned())
        .collect();
    files.sort();
    assert!(files.len() >= 5);
    let mut answers: Vec<(String, Value)> =
        files.iter().map(|file| (file.clone(), json(&[file, "--format", "json"]))).collect();
    let minimal = path("workloads/minimal.toml");
    answers.push(("--frontier".to_owned(), json(&[&minimal, "--format", "json", "--frontier"])));
    let change = ["--what-if", "train.epochs=3"];
    let measured = path("workloads/image-classification.toml");
    answers.push(("--what-if".to_owned(), json(&[&measured, "--format", "json", change[0], change[1]])));
    // A machine that is owned may be anywhere, or where the file says.
    for (region, said) in [("", Value::Null), (", region = \"us-east-1\"", Value::from("us-east-1"))] {
        let owned = format!("[where]\nowned = [{{ instance = \"aws/g5.xlarge\"{region} }}]\n");
        let file = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("schema-owned.toml");
        std::fs::write(&file, owned + &std::fs::read_to_string(&minimal).unwrap()).unwrap();
        let answer = json(&[file.to_str().unwrap(), "--format", "json"]);
        assert_eq!(
            (&answer["stages"][0]["purchase"], &answer["stages"][0]["region"]),
            (&Value::from("owned"), &said)
        );
        answers.push((format!("owned{region}"), answer));
    }
    let (shared, months) = (path("workloads/shared-months.toml"), path("catalogs/months.toml"));
    let only = ["--catalog", &months, "--catalog-only"];
    answers.push(("shared".to_owned(), json(&[&shared, "--format", "json", only[0], only[1], only[2]])));
    hold(&schema("plan"), &answers);
    assert_eq!(schema("plan"), serde_json::from_str::<Value>(&plan(&["schema"]).out).unwrap());
}

#[test]
fn every_listing_holds_to_its_schema() {
    let acme = path("catalogs/acme.toml");
    let runs: [&[&str]; 5] = [
        &["--limit", "50"],
        &["--gpu", "T4", "--purchase", "month", "--purchase", "spot"],
        &["--catalog", &acme, "--catalog-only"],
        &["--gpu", "T4", "--price", "..0.001"],
        &["--provider", "tencent", "--currency", "EUR"],
    ];
    let answers: Vec<(String, Value)> = runs
        .iter()
        .map(|args| {
            let args: Vec<&str> = ["offers", "--format", "json"].iter().chain(*args).copied().collect();
            (args.join(" "), json(&args))
        })
        .collect();
    hold(&schema("offers"), &answers);
}

#[test]
fn every_reading_of_a_log_holds_to_its_schema() {
    let (train, dmon, query) = (path("logs/train.log"), path("logs/dmon.log"), path("logs/query.csv"));
    let runs: [&[&str]; 4] =
        [&[&train, "--on", "aws/g4dn.xlarge"], &[&dmon], &[&dmon, "--price", "2 USD"], &[&query]];
    let answers: Vec<(String, Value)> = runs
        .iter()
        .map(|args| {
            let args: Vec<&str> = ["usage", "--format", "json"].iter().chain(*args).copied().collect();
            (args.join(" "), json(&args))
        })
        .collect();
    hold(&schema("usage"), &answers);
}

#[test]
fn every_time_holds_to_its_schema() {
    let (pictures, service) =
        (path("workloads/image-classification.toml"), path("workloads/chat-service.toml"));
    let resnet = ["--architecture", "resnet50", "--samples", "1M", "--epochs", "1"];
    let on_many = [&resnet[..], &["--on", "T4", "--count", "32", "--explain"]].concat();
    let runs: [&[&str]; 7] = [
        &resnet,
        &on_many,
        &["--architecture", "gpt2", "--tokens", "10B", "--all"],
        &["--architecture", "llama-2-7b", "--samples", "1K", "--epochs", "1", "--on", "aws/m5.large"],
        &[&pictures],
        &[&pictures, "--stage", "train", "--on", "P4"],
        &[&service, "--all"],
    ];
    let answers: Vec<(String, Value)> = runs
        .iter()
        .map(|args| {
            let args: Vec<&str> = ["time", "--format", "json"].iter().chain(*args).copied().collect();
            (args.join(" "), json(&args))
        })
        .collect();
    hold(&schema("time"), &answers);
}

/// The words that a schema lists are those of the program.
#[test]
fn lists_of_words_are_complete() {
    fn words<T: Named>() -> Vec<Value> {
        T::ALL.iter().map(|(_, name)| Value::from(*name)).collect()
    }
    let (plan, offers, time) = (schema("plan"), schema("offers"), schema("time"));
    let evidence = [words::<plan::duration::Evidence>(), vec![Value::Null]].concat();
    let stage = &plan["$defs"]["stage"]["properties"];
    let sold = plan::terms::Purchase::SOLD.iter().map(|(_, name)| Value::from(*name)).collect();
    for (listed, named) in [
        (&stage["kind"], words::<plan::terms::StageKind>()),
        (&stage["class"], words::<plan::terms::Class>()),
        (&stage["purchase"], words::<plan::terms::Purchase>()),
        (&stage["cost_period"], words::<plan::plan::Period>()),
        (&plan["$defs"]["pool"]["properties"]["slot"], words::<plan::plan::SlotUnit>()),
        (&stage["price_confidence"], words::<plan::catalog::Confidence>()),
        (&stage["lines"]["items"]["properties"]["kind"], words::<plan::price::bill::LineKind>()),
        (&stage["cost_period"], words::<plan::plan::Period>()),
        (&plan["$defs"]["pool"]["properties"]["slot"], words::<plan::plan::SlotUnit>()),
        (
            &plan["$defs"]["service"]["properties"]["ways_to_buy"]["items"]["properties"]["way"],
            words::<plan::price::service::ServiceWay>(),
        ),
        (&plan["$defs"]["rule"]["properties"]["verdict"], words::<plan::rules::Verdict>()),
        (&plan["$defs"]["duration"]["properties"]["evidence"], words::<plan::duration::Evidence>()),
        (&plan["$defs"]["alternative"]["properties"]["kind"], words::<plan::plan::AlternativeKind>()),
        (&plan["properties"]["notes"]["items"]["properties"]["kind"], words::<plan::plan::NoteKind>()),
        (&offers["$defs"]["offer"]["properties"]["purchase"], sold),
        (&time["$defs"]["machine"]["properties"]["evidence"], evidence),
        (
            &plan["$defs"]["spot"]["properties"]["hazard_source"],
            words::<plan::price::spot_case::HazardFrom>(),
        ),
    ] {
        let sorted = |words: &[Value]| words.iter().map(Value::to_string).collect::<BTreeSet<_>>();
        assert_eq!(sorted(listed["enum"].as_array().unwrap()), sorted(&named));
    }
}

#[test]
fn the_checker_finds_faults() {
    let schema: Value = serde_json::from_str(
        r##"{"type":"object","required":["a"],"properties":{"a":{"type":["number","null"]},"b":{"anyOf":[{"$ref":"#/$defs/x"},{"type":"null"}]}},
            "$defs":{"x":{"type":"array","items":{"enum":["on","off"]}}}}"##,
    )
    .unwrap();
    let faults = |answer: &str| {
        let answer = serde_json::from_str(answer).unwrap();
        let mut checker = Checker::new(&schema);
        checker.check(&schema, "", &answer, "it");
        checker.faults.len()
    };
    for good in [r#"{"a":1}"#, r#"{"a":null,"b":null}"#, r#"{"a":2.5,"b":["on","off"]}"#] {
        assert_eq!(faults(good), 0, "{good}");
    }
    for bad in ["{}", r#"{"a":"1"}"#, r#"{"a":1,"c":2}"#, r#"{"a":1,"b":["no"]}"#, r#"{"a":1,"b":3}"#, "[]"] {
        assert_ne!(faults(bad), 0, "{bad}");
    }
}
