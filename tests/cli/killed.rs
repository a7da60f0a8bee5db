//! Files are complete or absent: processes killed at random instants leave the old content or the new, and nothing
//! between.

use crate::doublefire_in;
use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Every file under `folder` by its path, but those that are still being written.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&next) else { continue };
        for entry in entries {
            let path = entry.expect("readable").path();
            let name = path.strip_prefix(folder).expect("inside").display().to_string();
            if path.is_dir() {
                folders.push(path);
            } else if !name.contains(".doublefire-") {
                found.insert(name, std::fs::read(&path).expect("readable"));
            }
        }
    }
    found
}

/// What shows at a glance that something under `folder` was touched: entries, temporary ones too, and their length.
fn touched(folder: &Path) -> (usize, u64) {
    let Ok(entries) = std::fs::read_dir(folder) else { return (0, 0) };
    entries.flatten().fold((0, 0), |(count, length), entry| {
        let below = if entry.path().is_dir() { touched(&entry.path()) } else { (0, 0) };
        (count + 1 + below.0, length + below.1 + entry.metadata().map_or(0, |is| is.len()))
    })
}

/// Numbers that look random and are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (word ^ (word >> 31)) % limit
    }
}

fn with_out() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::create_dir(folder.path().join("out")).expect("made");
    folder
}

/// Kills `command SEED` at random instants, with one seed after the other, until it has been killed so many times;
/// after each kill every file under `out` must be as one of the seeds leaves it in peace.
fn killed_at_any_time(times: usize, command: &[&str]) {
    let seeds = ["1", "2"];
    let mut whole = Vec::new();
    let mut lasts = Duration::ZERO;
    for seed in seeds {
        let folder = with_out();
        let start = Instant::now();
        doublefire_in(folder.path()).args(command).args(["--seed", seed]).assert().code(0);
        lasts = lasts.max(start.elapsed());
        whole.push(contents(&folder.path().join("out")));
    }
    assert!(!whole[0].is_empty() && whole[0].iter().all(|(name, bytes)| !bytes.is_empty() && !name.is_empty()));
    assert_ne!(whole[0], whole[1], "the seeds can be told apart");
    let folder = with_out();
    doublefire_in(folder.path()).args(command).args(["--seed", seeds[0]]).assert().code(0);
    let (mut random, mut kills) = (Random(7), 0);
    let deadline = Instant::now() + Duration::from_secs(120);
    while kills < times {
        assert!(Instant::now() < deadline, "{kills} kills in two minutes");
        // By turns over the files of an earlier run, and where there are none yet.
        let nothing_yet = with_out();
        let place = if kills % 2 == 0 { folder.path() } else { nothing_yet.path() };
        let before = touched(&place.join("out"));
        let mut child = Command::new(assert_cmd::cargo::cargo_bin("doublefire"))
            .args(command)
            .args(["--seed", seeds[(kills / 4 + 1) % 2]])
            .current_dir(place)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        // By turns at any instant, and at one just after the first file is touched: most of a run writes nothing.
        if kills / 2 % 2 == 0 {
            std::thread::sleep(Duration::from_micros(random.below(lasts.as_micros() as u64 + 1)));
        } else {
            while touched(&place.join("out")) == before && child.try_wait().expect("it is ours").is_none() {}
            std::thread::sleep(Duration::from_micros(random.below(2_000)));
        }
        child.kill().expect("it is ours");
        let killed = child.wait().expect("it ends").signal() == Some(9);
        let left = contents(&place.join("out"));
        assert!(kills % 2 == 1 || left.len() == whole[0].len(), "no file of the old ones goes");
        for (name, bytes) in left {
            let known = whole.iter().any(|whole| whole.get(&name) == Some(&bytes));
            assert!(known, "{name} is neither old nor new: {} bytes", bytes.len());
        }
        kills += usize::from(killed);
    }
    doublefire_in(folder.path()).args(command).args(["--seed", "2"]).assert().code(0);
    assert_eq!(contents(&folder.path().join("out")), whole[1], "what killed ones left behind blocks nothing");
}

#[test]
fn a_report_is_there_whole_or_not_at_all_whenever_its_run_is_killed() {
    killed_at_any_time(24, &["run", "payments", "--turns", "8000", "--output", "out"]);
}

#[test]
fn a_junit_file_is_there_whole_or_not_at_all_whenever_check_is_killed() {
    killed_at_any_time(44, &["check", "route-auto-retry", "--turns", "8000", "--junit", "out/gates.xml"]);
}

#[test]
fn a_baseline_is_the_old_one_or_the_new_whenever_its_update_is_killed() {
    killed_at_any_time(44, &["check", "route-auto-retry", "--turns", "8000", "--baseline", "out", "--update"]);
}
