//! Threefry-4x32 with 13 rounds: the counter-based generator of Salmon, Moraes, Dror and Shaw, "Parallel random
//! numbers: as easy as 1, 2, 3" (SC11). A block of four words is a pure function of a key and a counter, so every
//! draw has an address and none has a predecessor. Twelve rounds pass BigCrush; thirteen is the smallest number with
//! published known answers.

const PARITY: u32 = 0x1BD1_1BDA;

/// Rotations of rounds 0 to 3 and of rounds 4 to 7, one pair a round; they repeat.
const FIRST_FOUR: [(u32, u32); 4] = [(10, 26), (11, 21), (13, 27), (23, 5)];
const LAST_FOUR: [(u32, u32); 4] = [(6, 20), (17, 11), (25, 10), (18, 20)];

/// The four words at `counter` under `key`.
///
/// Written out without a loop or a branch, so that a loop over counters is done in the lanes of vector registers.
#[must_use]
#[inline(always)]
pub fn block(key: [u32; 4], counter: [u32; 4]) -> [u32; 4] {
    let schedule = [key[0], key[1], key[2], key[3], PARITY ^ key[0] ^ key[1] ^ key[2] ^ key[3]];
    let x = inject(counter, schedule, 0);
    let x = inject(four_rounds(x, FIRST_FOUR), schedule, 1);
    let x = inject(four_rounds(x, LAST_FOUR), schedule, 2);
    let x = inject(four_rounds(x, FIRST_FOUR), schedule, 3);
    even_round(x, LAST_FOUR[0])
}

#[inline(always)]
fn four_rounds(x: [u32; 4], [first, second, third, fourth]: [(u32, u32); 4]) -> [u32; 4] {
    odd_round(even_round(odd_round(even_round(x, first), second), third), fourth)
}

#[inline(always)]
fn even_round([a, b, c, d]: [u32; 4], rotations: (u32, u32)) -> [u32; 4] {
    let (a, b) = mix(a, b, rotations.0);
    let (c, d) = mix(c, d, rotations.1);
    [a, b, c, d]
}

#[inline(always)]
fn odd_round([a, b, c, d]: [u32; 4], rotations: (u32, u32)) -> [u32; 4] {
    let (a, d) = mix(a, d, rotations.0);
    let (c, b) = mix(c, b, rotations.1);
    [a, b, c, d]
}

#[inline(always)]
fn mix(a: u32, b: u32, rotation: u32) -> (u32, u32) {
    let sum = a.wrapping_add(b);
    (sum, b.rotate_left(rotation) ^ sum)
}

/// Adds the key as its schedule has it for the `number`-th time.
#[inline(always)]
fn inject([a, b, c, d]: [u32; 4], schedule: [u32; 5], number: usize) -> [u32; 4] {
    let key = |i: usize| schedule[(number + i) % 5];
    [
        a.wrapping_add(key(0)),
        b.wrapping_add(key(1)),
        c.wrapping_add(key(2)),
        d.wrapping_add(key(3)).wrapping_add(number as u32),
    ]
}

#[cfg(test)]
mod tests {
    use super::block;

    /// Known answers published with Random123 (tests/kat_vectors, `threefry4x32 13`): zeros, ones, digits of pi.
    #[test]
    fn the_published_known_answers_hold() {
        assert_eq!(block([0; 4], [0; 4]), [0x531c_7e4f, 0x3949_1ee5, 0x2c85_5a92, 0x3d6a_bf9a]);
        assert_eq!(block([u32::MAX; 4], [u32::MAX; 4]), [0xc418_9358, 0x1c9c_c83a, 0xd588_1c67, 0x6a0a_89e0]);
        assert_eq!(
            block(
                [0xa409_3822, 0x299f_31d0, 0x082e_fa98, 0xec4e_6c89],
                [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344]
            ),
            [0x4aa7_1d8f, 0x7347_38c2, 0x431f_c6a8, 0xae6d_ebf1]
        );
    }
}
