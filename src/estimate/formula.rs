//! The derivation of a figure in one line.

use super::reach::Reach;

/// How the figure of a policy came about: the arguments for zero, and the chain where one was followed.
pub(super) fn line(reach: Reach<'_>, reasons: &[&'static str], histories: usize) -> String {
    let _ = reach;
    let mut distinct: Vec<&str> = Vec::new();
    for reason in reasons {
        if !distinct.contains(reason) {
            distinct.push(reason);
        }
    }
    if histories == 0 {
        return format!("0: {}", distinct.join("; "));
    }
    let chain =
        format!("sum over {histories} histories of a turn, each stretch of an attempt by its Laplace transform");
    if distinct.is_empty() { chain } else { format!("{chain}; 0 for the other shapes: {}", distinct.join("; ")) }
}
