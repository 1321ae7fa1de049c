//! The names that an expression may use: channels of solution, input and low fidelity, and axes.

/// The name and the unit of a channel or an axis.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Name {
    /// The name; empty if there is none.
    pub name: String,
    /// The unit of its values, such as `K`; none if it is not known.
    pub unit: Option<String>,
}

impl Name {
    /// A name without a unit.
    pub fn new(name: impl Into<String>) -> Self {
        let name = name.into();
        Self { name, unit: None }
    }

    /// The same with a unit.
    pub fn with_unit(mut self, unit: impl Into<String>) -> Self {
        self.unit = Some(unit.into());
        self
    }
}

/// The names available in an expression.
///
/// | what | its name | also |
/// |---|---|---|
/// | channel `T` of the solution | `T`, `solution.T` | `u` if it is the only one, else `u0`, `u1`, ... |
/// | channel `k` of the input | `k`, `input.k` | `input` if it is the only one, else `input0`, `input1`, ... |
/// | channel `T` of low fidelity | `low.T` | `low` if it is the only one, else `low0`, `low1`, ... |
/// | axis `x` | `x`, `axis.x` | |
///
/// An ambiguous name is refused, and the error lists the qualified names. One exception: if input
/// and solution have a channel of the same name, the bare name refers to the solution.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    /// The axes, in the order of the space's coordinates.
    pub axes: Vec<Name>,
    /// The channels of the solution.
    pub solution: Vec<Name>,
    /// The channels of the input.
    pub input: Vec<Name>,
    /// Whether there is a low-fidelity solution; it has the solution's channels.
    pub has_low: bool,
}

/// The source of the values of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    Solution(usize),
    Input(usize),
    Low(usize),
    Axis(usize),
}

/// A channel or an axis with its names.
struct Entry<'a> {
    source: Source,
    kind: &'static str,
    name: &'a Name,
    /// A short name with its position; empty if there is none.
    alias: String,
}

impl Entry<'_> {
    /// Its own name, or otherwise its alias.
    fn own(&self) -> &str {
        if self.name.name.is_empty() {
            &self.alias
        } else {
            &self.name.name
        }
    }

    fn qualified(&self) -> String {
        format!("{}.{}", self.kind, quoted(self.own()))
    }

    fn answers(&self, kind: Option<&str>, name: &str) -> bool {
        match kind {
            Some(kind) => self.kind == kind && self.own() == name,
            // Low fidelity has the solution's names: unqualified, they refer to the solution.
            None => self.alias == name || (self.kind != "low" && self.own() == name),
        }
    }
}

impl Names {
    /// The source and unit of a name; otherwise an error message.
    pub(crate) fn find(
        &self,
        kind: Option<&str>,
        name: &str,
    ) -> Result<(Source, Option<String>), String> {
        let entries = self.entries();
        let found: Vec<&Entry> = entries.iter().filter(|e| e.answers(kind, name)).collect();
        let chosen = match found[..] {
            [] => return Err(self.unknown(kind, name)),
            [only] => only,
            _ => solution_among(&found, name).ok_or_else(|| ambiguous(&found, name))?,
        };
        Ok((chosen.source, chosen.name.unit.clone()))
    }

    fn entries(&self) -> Vec<Entry<'_>> {
        let low: &[Name] = if self.has_low { &self.solution } else { &[] };
        let mut entries = numbered("solution", "u", &self.solution, Source::Solution);
        entries.extend(numbered("input", "input", &self.input, Source::Input));
        entries.extend(numbered("low", "low", low, Source::Low));
        entries.extend(numbered("axis", "", &self.axes, Source::Axis));
        entries
    }

    fn unknown(&self, kind: Option<&str>, name: &str) -> String {
        let entries = self.entries();
        let is_shared = |e: &Entry| {
            entries
                .iter()
                .any(|o| o.kind != e.kind && o.own() == e.own())
        };
        let spelled = |e: &Entry| match e.kind {
            "low" => e.alias.clone(),
            "input" if is_shared(e) => e.qualified(),
            _ => quoted(e.own()),
        };
        let known: Vec<String> = entries.iter().map(spelled).collect();
        let written = kind.map_or(String::new(), |kind| format!("{kind}."));
        format!(
            "unknown name `{written}{name}`; known: {}",
            known.join(", ")
        )
    }
}

/// Channels of one kind, with their aliases by position.
fn numbered<'a>(
    kind: &'static str,
    alias: &str,
    names: &'a [Name],
    source: fn(usize) -> Source,
) -> Vec<Entry<'a>> {
    let entry = |(i, name)| Entry {
        source: source(i),
        kind,
        name,
        alias: match names.len() {
            _ if alias.is_empty() => String::new(),
            1 => alias.to_owned(),
            _ => format!("{alias}{i}"),
        },
    };
    names.iter().enumerate().map(entry).collect()
}

/// The solution's channel, if only inputs share its name.
fn solution_among<'a, 'b>(found: &[&'a Entry<'b>], name: &str) -> Option<&'a Entry<'b>> {
    let is_solution = |e: &&&Entry| e.kind == "solution" && e.name.name == name;
    let mut solutions = found.iter().filter(is_solution);
    let first = solutions.next()?;
    let is_only = solutions.next().is_none();
    let others = found.iter().filter(|e| e.source != first.source);
    (is_only && others.clone().all(|e| e.kind == "input")).then_some(*first)
}

fn ambiguous(found: &[&Entry], name: &str) -> String {
    // Channels of one kind with the same name differ only in their positions.
    let is_one_kind = found
        .iter()
        .all(|e| e.kind == found[0].kind && !e.alias.is_empty());
    let write = |e: &&Entry| {
        if is_one_kind {
            e.alias.clone()
        } else {
            e.qualified()
        }
    };
    let written: Vec<String> = found.iter().map(write).collect();
    format!("`{name}` is ambiguous; write one of {}", written.join(", "))
}

/// A name in the notation of expressions.
fn quoted(name: &str) -> String {
    let is_plain = name.chars().all(|c| c.is_alphanumeric() || c == '_')
        && name.chars().next().is_some_and(|c| !c.is_numeric())
        && !["and", "or", "not"].contains(&name);
    if is_plain {
        name.to_owned()
    } else {
        format!("`{name}`")
    }
}
