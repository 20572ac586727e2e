//! Finds circular imports between the files of a crate, and between its folders.

use super::paths::{Paths, paths_of};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

pub(super) type Module = Vec<String>;

/// The files of the library.
pub(super) struct Files(BTreeMap<Module, Paths>);

/// The files that each file uses.
pub(super) type Graph = BTreeMap<Module, BTreeSet<Module>>;

impl Files {
    pub(super) fn read<'a>(files: impl IntoIterator<Item = (Module, &'a str)>) -> Files {
        let read = |(module, source): (Module, &str)| (paths_of(&module, source), module);
        Files(files.into_iter().map(read).map(|(paths, module)| (module, paths)).collect())
    }

    /// Builds the graph. Ignores unit tests, which may use any file, and re-exports, which do not
    /// depend on the content of the other file.
    pub(super) fn graph(&self) -> Graph {
        let mut graph = Graph::new();
        for (module, paths) in &self.0 {
            let uses = paths.uses.iter().filter(|found| !found.is_test && !found.is_reexport);
            let used = uses.filter_map(|found| self.file_of(module, &found.path, 8));
            let used = used.filter(|other| *other != module);
            graph.insert(module.clone(), used.cloned().collect());
        }
        graph
    }

    /// Builds the graph of the top folders and files: which of them uses which.
    pub(super) fn folders(&self) -> Graph {
        let mut folders = Graph::new();
        for (module, used) in self.graph() {
            let tops = used.iter().map(|other| other[..1].to_vec());
            let others = tops.filter(|top| *top != module[..1]);
            folders.entry(module[..1].to_vec()).or_default().extend(others);
        }
        folders
    }

    /// Returns the file that contains the item named by `path` in `module`, following imports and
    /// re-exports. Returns `None` for other crates, and for the module itself.
    fn file_of(&self, module: &Module, path: &[String], depth: usize) -> Option<&Module> {
        let is_absolute = path.first().is_some_and(|root| root == "crate");
        let (mut at, parts) = match is_absolute {
            true => (Module::new(), &path[1..]),
            false => (module.clone(), path),
        };
        for (index, part) in parts.iter().enumerate() {
            at.push(part.clone());
            if self.0.contains_key(&at) {
                continue;
            }
            at.pop();
            let (file, paths) = self.0.get_key_value(&at)?;
            return match paths.names.get(part) {
                Some(target) => {
                    let whole = [target, &parts[index + 1..]].concat();
                    self.file_of(file, &whole, depth.checked_sub(1)?)
                }
                None => (is_absolute || index > 0).then_some(file),
            };
        }
        None
    }
}

/// Returns the violations: circles that remain without the `allowed` edges, and allowed edges that
/// are not part of a circle.
pub(super) fn wrong(mut graph: Graph, allowed: &[(&str, &str)]) -> Vec<String> {
    let module = |name: &str| name.split("::").map(str::to_owned).collect::<Module>();
    let allowed: Vec<_> = allowed.iter().map(|(from, to)| (module(from), module(to))).collect();
    let is_edge = |(from, to): &(Module, Module)| {
        graph.get(from).is_some_and(|used: &BTreeSet<Module>| used.contains(to))
    };
    let mut is_needed: Vec<bool> = allowed.iter().map(is_edge).collect();
    for (from, to) in &allowed {
        graph.entry(from.clone()).or_default().remove(to);
    }
    for ((from, to), is_needed) in allowed.iter().zip(&mut is_needed) {
        *is_needed &= way(&graph, to, from).is_some();
    }
    let unneeded = allowed.iter().zip(is_needed).filter(|(_, is_needed)| !is_needed);
    let name = |module: &Module| module.join("::");
    let mut wrong: Vec<String> = unneeded
        .map(|((from, to), _)| {
            format!("remove `{} → {}` from ALLOWED: it closes no circle", name(from), name(to))
        })
        .collect();
    let mut seen = BTreeSet::new();
    for (from, used) in &graph {
        for way in used.iter().filter_map(|to| way(&graph, to, from)) {
            if way.iter().any(|module| !seen.contains(*module)) {
                seen.extend(way.iter().copied());
                let names: Vec<_> = way.into_iter().map(name).collect();
                wrong.push(format!("{} → {}", name(from), names.join(" → ")));
            }
        }
    }
    wrong
}

/// Returns the files on the shortest path from one to another, including both.
fn way<'a>(graph: &'a Graph, from: &'a Module, to: &Module) -> Option<Vec<&'a Module>> {
    let mut came_from = BTreeMap::from([(from, from)]);
    let mut open = VecDeque::from([from]);
    while let Some(at) = open.pop_front() {
        if at == to {
            let mut way = vec![at];
            while way[way.len() - 1] != from {
                way.push(came_from[way[way.len() - 1]]);
            }
            way.reverse();
            return Some(way);
        }
        for next in graph.get(at).into_iter().flatten() {
            if !came_from.contains_key(next) {
                came_from.insert(next, at);
                open.push_back(next);
            }
        }
    }
    None
}
