//! The floors of `docs/architecture.md`: a module uses lower floors, its own folder, and on its own floor only what
//! the page lists.

use crate::source::{code, line_of, words};
use crate::tree::{self, File};
use std::collections::BTreeMap;

/// One row of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Module {
    floor: u32,
    /// Modules of the same floor that it may use.
    beside: Vec<String>,
}

type Floors = BTreeMap<String, Module>;

/// The rows `| floor | module | may use beside it | … |` of the page's table of floors.
fn floors(page: &str) -> Floors {
    let mut floors = Floors::new();
    for line in page.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, floor, module, beside, ..] = cells[..] else { continue };
        let Ok(floor) = floor.parse() else { continue };
        let beside =
            beside.split(',').map(|name| name.trim().trim_matches('`')).filter(|name| !["", "–"].contains(name));
        let module_name = module.trim_matches('`').to_owned();
        let module = Module { floor, beside: beside.map(str::to_owned).collect() };
        assert!(floors.insert(module_name, module).is_none(), "two rows of one module: {line}");
    }
    floors
}

/// The module a file belongs to; none for the crate's roots, which use everything.
fn module_of(path: &str) -> Option<&str> {
    let inside = path.strip_prefix("src/")?;
    let first = inside.split('/').next()?;
    let module = first.strip_suffix(".rs").unwrap_or(first);
    (module != "lib" && module != "main").then_some(module)
}

/// Every module of the crate that the code names, with where it does: `crate::a`, `crate::{a, b::{…}}`.
fn named(code: &str) -> Vec<(String, usize)> {
    let mut named = Vec::new();
    for at in words(code, "crate::") {
        let after = code[at + "crate::".len()..].trim_start();
        match after.strip_prefix('{') {
            Some(group) => named.extend(heads(group).into_iter().map(|head| (head, at))),
            None => named.push((identifier(after), at)),
        }
    }
    named
}

fn identifier(code: &str) -> String {
    code.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

/// The first identifier of each member of a `use` group that stands just after its opening brace.
fn heads(group: &str) -> Vec<String> {
    let (mut depth, mut start, mut heads) = (0_u32, 0, Vec::new());
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                heads.push(identifier(&group[start..at]));
                start = at + 1;
                if c == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    heads.retain(|head| !head.is_empty());
    heads
}

/// What a file does that the table does not allow.
fn faults(file: &File, floors: &Floors) -> Vec<String> {
    let Some(module) = module_of(&file.path) else { return Vec::new() };
    let code = code(&file.text);
    let at_line = |at: usize, fault: String| format!("{}:{}: {fault}", file.path, line_of(&code, at));
    let Some(own) = floors.get(module) else { return vec![format!("{}: `{module}` has no floor", file.path)] };
    let mut faults = Vec::new();
    for (used, at) in named(&code) {
        let Some(other) = floors.get(&used) else {
            faults.push(at_line(at, format!("`{used}` has no floor")));
            continue;
        };
        let beside = other.floor == own.floor && own.beside.contains(&used);
        if used != module && other.floor >= own.floor && !beside {
            faults.push(at_line(at, format!("{module} ({}) uses {used} ({})", own.floor, other.floor)));
        }
    }
    // The other ways out of a module's folder. `super` is one level up; more is written from the root.
    for at in code.match_indices("super::super").map(|(at, _)| at) {
        faults.push(at_line(at, "write the path from `crate::`".to_owned()));
    }
    let is_root = [format!("src/{module}.rs"), format!("src/{module}/mod.rs")].contains(&file.path);
    for (at, line) in code.match_indices("\nuse super::").filter(|_| is_root) {
        faults.push(at_line(at + 1, format!("`{}` leaves the module", line.trim())));
    }
    faults
}

fn page() -> Floors {
    floors(&tree::read("docs/architecture.md"))
}

#[test]
fn no_module_uses_what_its_floor_does_not_allow() {
    let floors = page();
    let faults: Vec<_> = tree::rust(&["src"]).iter().flat_map(|file| faults(file, &floors)).collect();
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn the_page_has_every_floor_of_the_design_and_what_it_lists_lies_beside() {
    let floors = page();
    for (module, floor) in
        [("time", 0), ("draw", 1), ("dispatch", 2), ("scenario", 3), ("sim", 4), ("report", 5), ("cli", 6)]
    {
        assert_eq!(floors[module].floor, floor, "{module}");
    }
    for (name, module) in &floors {
        for beside in &module.beside {
            let other = floors.get(beside).unwrap_or_else(|| panic!("{name} lists {beside}, which has no floor"));
            assert_eq!(other.floor, module.floor, "{name} lists {beside}, which is not beside it");
            assert!(!other.beside.contains(name), "{name} and {beside} list each other");
        }
    }
}

#[test]
fn the_two_derivations_never_meet() {
    let floors = page();
    let (sim, estimate) = (&floors["sim"], &floors["estimate"]);
    assert_eq!(sim.floor, estimate.floor);
    assert!(sim.beside.is_empty() && estimate.beside.is_empty(), "neither lists anything, so nothing can lead across");
}

#[cfg(test)]
mod on_snippets {
    use super::*;

    const PAGE: &str = "
| floor | module | may use beside it | what |
| ---: | --- | --- | --- |
| 0 | `time` | – | instants |
| 1 | `dist` | `draw` | samplers |
| 1 | `draw` | – | streams |
| 4 | `sim` | – | events |
| 4 | `estimate` | – | formulas |
| 6 | `cli` | – | commands |
";

    fn faults_of(path: &str, text: &str) -> usize {
        faults(&File::new(path, text), &floors(PAGE)).len()
    }

    #[test]
    fn the_table_is_read() {
        let floors = floors(PAGE);
        assert_eq!(floors.len(), 6);
        assert_eq!(floors["dist"], Module { floor: 1, beside: vec!["draw".to_owned()] });
    }

    #[test]
    fn lower_floors_and_listed_neighbours_are_allowed() {
        assert_eq!(
            faults_of("src/dist/gamma.rs", "use crate::time::Span;\nuse crate::draw::Word;\nuse crate::dist::X;"),
            0
        );
        assert_eq!(faults_of("src/cli/run.rs", "use crate::{sim, time::{self, Span}};\nuse super::exit;"), 0);
        assert_eq!(faults_of("src/main.rs", "use doublefire::cli;\nuse crate::anything;"), 0);
        assert_eq!(faults_of("src/draw/mod.rs", "// crate::dist\nconst X: &str = \"crate::sim\";"), 0);
        assert_eq!(faults_of("src/draw/mod.rs", "mod tests {\n    use super::*;\n}"), 0);
    }

    #[test]
    fn upward_and_unlisted_imports_are_found_in_every_form() {
        assert_eq!(faults_of("src/time.rs", "use crate::dist::Distribution;"), 1);
        assert_eq!(faults_of("src/draw/mod.rs", "use crate::dist::Distribution;"), 1);
        assert_eq!(faults_of("src/sim/mod.rs", "fn f() { crate::estimate::estimate() }"), 1);
        assert_eq!(faults_of("src/estimate/mod.rs", "use crate::{dist, sim::{self, Options}, time};"), 1);
        assert_eq!(faults_of("src/estimate/mod.rs", "#[cfg(test)]\nmod tests { use crate::sim::run; }"), 1);
        assert_eq!(faults_of("src/time.rs", "macro_rules! m { () => { $crate::cli::x() } }"), 1);
        assert_eq!(faults_of("src/time.rs", "pub(crate) use crate::{\n    cli,\n    sim,\n};"), 2);
    }

    #[test]
    fn there_is_no_way_round_through_super() {
        assert_eq!(faults_of("src/time.rs", "use std::fmt;\nuse super::dist::X;"), 1);
        assert_eq!(faults_of("src/draw/mod.rs", "use std::fmt;\nuse super::dist::X;"), 1);
        assert_eq!(faults_of("src/draw/threefry.rs", "use super::super::dist::X;"), 1);
    }

    #[test]
    fn a_module_without_a_floor_is_a_fault_on_both_sides() {
        assert_eq!(faults_of("src/misc.rs", ""), 1);
        assert_eq!(faults_of("src/cli/mod.rs", "use crate::misc::X;"), 1);
    }
}
