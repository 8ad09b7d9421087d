//! The zoo: architectures by name. The entries are data files beside this module, one line each; a name costs
//! one walk over the index and the reading of its one line.
//!
//! `transformers.csv` holds dimensions and, to check them, the published number of parameters. `images.csv` and
//! `dense.csv` hold bytes per sample that steps of eager PyTorch 2.15 took under its caching allocator (kernels not
//! executed, so without convolution workspaces), in 32 bits, under autocast and with recomputed blocks: torchvision's
//! and timm's definitions at the size that the line names; parameters and FLOPs are those that torchvision publishes.

pub mod shape;

use super::architecture::Head;
use super::class::kind;
use super::{Family, parameters};
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, OnceLock};

const TRANSFORMERS: &str = include_str!("zoo/transformers.csv");
const IMAGES: &str = include_str!("zoo/images.csv");
const DENSE: &str = include_str!("zoo/dense.csv");

/// What the zoo says about an architecture, as far as time and the rules need it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Known {
    /// Its canonical name.
    pub name: &'static str,
    /// Its family.
    pub family: Family,
    /// Parameters: counted from the dimensions where it is a transformer, else as published.
    pub params: f64,
    /// Parameters that take part in one token's arithmetic; fewer than all in a mixture of experts.
    pub active: f64,
    /// Forward floating-point operations per sample at its native size (2 per multiply-add).
    pub forward_flops: Option<f64>,
    /// Native tokens per sample.
    pub seq_len: Option<f64>,
    /// Native edge of a square image in pixels.
    pub image_size: Option<f64>,
}

/// Which of the data files a line stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Table {
    /// Dimensions of transformers, from which everything else follows.
    Transformers,
    /// Image models by measured bytes per sample.
    Images,
    /// Segmentation, detection and diffusion networks by measured bytes per sample.
    Dense,
}

/// One line of the zoo.
#[derive(Debug)]
pub struct Entry {
    table: Table,
    columns: Arc<[&'static str]>,
    text: &'static str,
    /// Its fields, once one of them was asked for.
    fields: OnceLock<Box<[&'static str]>>,
}

impl Entry {
    /// Where it stands.
    pub const fn table(&self) -> Table {
        self.table
    }

    /// A column's text; `None` where the column is empty or not there.
    pub fn text(&self, column: &str) -> Option<&'static str> {
        let at = self.columns.iter().position(|name| *name == column)?;
        let fields = self.fields.get_or_init(|| self.text.split(',').collect());
        fields.get(at).copied().filter(|text| !text.is_empty())
    }

    /// A column's number; a trailing M or B counts as 10⁶ and 10⁹.
    pub fn number(&self, column: &str) -> Option<f64> {
        let text = self.text(column)?;
        let (digits, scale) = match text.as_bytes().last()? {
            b'M' => (text.get(..text.len() - 1)?, 1e6),
            b'B' => (text.get(..text.len() - 1)?, 1e9),
            _ => (text, 1.0),
        };
        Some(digits.parse::<f64>().ok()? * scale)
    }

    /// An entry of the `extra` column, which holds `key=value|key=value`.
    pub fn extra(&self, key: &str) -> Option<&'static str> {
        self.text("extra")?.split('|').find_map(|pair| pair.strip_prefix(key)?.strip_prefix('='))
    }

    /// The canonical name.
    pub fn name(&self) -> &'static str {
        self.text("name").unwrap_or_default()
    }

    /// The same as a number.
    pub fn extra_number(&self, key: &str) -> Option<f64> {
        self.extra(key)?.parse().ok()
    }
}

static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let mut entries = Vec::with_capacity(256);
    for (table, text) in [(Table::Transformers, TRANSFORMERS), (Table::Images, IMAGES), (Table::Dense, DENSE)]
    {
        let mut lines = text.lines();
        let columns: Arc<[&str]> = lines.next().unwrap_or_default().split(',').collect();
        let entry = |text| Entry { table, columns: Arc::clone(&columns), text, fields: OnceLock::new() };
        entries.extend(lines.map(entry));
    }
    entries
});

/// Positions by name and alias.
static INDEX: LazyLock<BTreeMap<&'static str, usize>> = LazyLock::new(|| {
    let mut index = BTreeMap::new();
    for (at, entry) in ENTRIES.iter().enumerate() {
        let mut fields = entry.text.splitn(3, ',');
        let (name, aliases) = (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
        for name in std::iter::once(name).chain(aliases.split('|')).filter(|name| !name.is_empty()) {
            index.entry(name).or_insert(at);
        }
    }
    index
});

/// The line of a name or of one of its aliases. Case does not count, nor does the name of an owner before a slash
/// (`meta-llama/Llama-2-7b-hf`).
pub fn entry(name: &str) -> Option<&'static Entry> {
    // Most names are canonical: the index of all of them is not made for those.
    let is =
        |entry: &&Entry| entry.text.as_bytes().get(name.len()) == Some(&b',') && entry.text.starts_with(name);
    let direct = ENTRIES.iter().find(is).filter(|_| !name.is_empty());
    direct.or_else(|| {
        let at = INDEX.get(name).or_else(|| {
            let plain = name.rsplit('/').next().unwrap_or(name).to_lowercase();
            INDEX.get(plain.as_str())
        })?;
        ENTRIES.get(*at)
    })
}

/// The family of a line, without reading the rest of it.
pub fn family(entry: &Entry) -> Option<Family> {
    if entry.table() != Table::Transformers {
        return Some(match entry.text("family")? {
            "vit" => Family::Vit,
            "diffusion" => Family::Diffusion,
            _ => Family::Cnn,
        });
    }
    if entry.extra("experts").is_some() {
        return Some(Family::Moe);
    }
    kind(entry.text("class")?).map(|kind| kind.family)
}

/// What the zoo knows under a name or one of its aliases.
pub fn lookup(name: &str) -> Option<Known> {
    known(entry(name)?)
}

/// All canonical names and aliases, ordered.
pub fn names() -> impl Iterator<Item = &'static str> {
    INDEX.keys().copied()
}

/// All entries in file order.
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    ENTRIES.iter()
}

fn known(entry: &Entry) -> Option<Known> {
    match entry.table() {
        Table::Images | Table::Dense => Some(Known {
            name: entry.name(),
            family: family(entry)?,
            params: entry.number("params")?,
            active: entry.number("params")?,
            forward_flops: entry.number("flops"),
            seq_len: None,
            image_size: entry.number("size"),
        }),
        Table::Transformers => transformer(entry),
    }
}

/// Counts and work per sample of a transformer, from its dimensions: two operations per weight and token, and four per
/// query, key and channel. Tables are looked up, not multiplied; a tied table is multiplied once, as the head.
fn transformer(entry: &Entry) -> Option<Known> {
    let t = shape::shape(entry)?;
    let counted = parameters::count(&t);
    let d = &t.dims;
    let patches = t.patches.map(|p| (p.image / p.patch).floor().powi(2) + p.extra);
    let length = patches.or(entry.number("length"))?;
    let looked_up = match t.head {
        // The head of an image classifier sees one token.
        _ if t.patches.is_some() => (d.vocab + length) * d.hidden,
        Head::Causal | Head::Masked if t.tied => counted.embedding - d.vocab * d.embedding,
        _ => counted.embedding,
    };
    // ALBERT runs its one layer `layers` times.
    let repeated = if t.shared_layers { (d.layers - 1.0) * counted.layer } else { 0.0 };
    // The encoder of speech sees 1,500 frames whatever the text; half of the weights belong to it.
    let speech = t.stacks.filter(|stacks| stacks.mels.is_some());
    let tokens = speech.map_or(length, |stacks| f64::midpoint(length, stacks.frames));
    let depth = d.layers + t.stacks.map_or(0.0, |stacks| stacks.decoder_layers);
    let weights = counted.active - looked_up + repeated;
    Some(Known {
        name: entry.name(),
        family: t.family,
        params: counted.total,
        active: counted.active,
        forward_flops: Some(2.0 * weights * tokens + 4.0 * depth * length * tokens * d.queries()),
        seq_len: if t.patches.is_some() { None } else { Some(length) },
        image_size: t.patches.map(|p| p.image),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_read() {
        assert!(entries().count() > 180);
        for entry in entries() {
            let known = known(entry).unwrap_or_else(|| panic!("{}", entry.text));
            assert!(
                known.params > 1e6 && known.active > 0.0 && known.active <= known.params,
                "{}",
                known.name
            );
            let by_index = INDEX.get(entry.name()).and_then(|at| ENTRIES.get(*at));
            assert!(by_index.is_some_and(|found| std::ptr::eq(found, entry)), "{}", entry.text);
            assert!(super::entry(entry.name()).is_some_and(|found| std::ptr::eq(found, entry)));
            assert_eq!(entry.columns.len(), entry.text.split(',').count(), "{}", entry.text);
        }
    }

    #[test]
    fn names_are_found_as_people_write_them() {
        for (text, name) in [
            ("resnet50", "resnet50"),
            ("bert-base-uncased", "bert-base"),
            ("gpt2", "gpt2"),
            ("meta-llama/Llama-2-7b-hf", "llama-2-7b"),
            ("Mistral-7B", "mistral-7b"),
        ] {
            assert_eq!(lookup(text).map(|k| k.name), Some(name), "{text}");
        }
        assert_eq!(lookup("resnet5000"), None);
        assert_eq!(crate::names::closest("resnet-500", names()), Some("resnet-50"));
    }

    #[test]
    fn work_is_that_of_published_counts() {
        // torchvision: ViT-B/16 17.56 and ResNet-50 4.089 thousand million multiply-adds.
        for (name, macs) in [("vit_b_16", 17.56e9), ("resnet50", 4.089e9), ("vit_l_16", 61.55e9)] {
            let flops = lookup(name).and_then(|k| k.forward_flops).unwrap();
            assert!((flops / (2.0 * macs) - 1.0).abs() < 0.01, "{name} {flops}");
        }
        // Mixtral-8x7B: 12.9 thousand million parameters per token.
        assert!((lookup("mixtral-8x7b").unwrap().active - 12.88e9).abs() < 0.05e9);
    }
}
