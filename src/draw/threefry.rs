//! Threefry-4x32 with 13 rounds: the counter-based generator of Salmon, Moraes, Dror and Shaw, "Parallel random
//! numbers: as easy as 1, 2, 3" (SC11). A block of four words is a pure function of a key and a counter, so every
//! draw has an address and none has a predecessor.

const PARITY: u32 = 0x1BD1_1BDA;

/// Rotations of rounds 0 to 7, repeating; one pair a round.
const ROTATIONS: [(u32, u32); 8] = [(10, 26), (11, 21), (13, 27), (23, 5), (6, 20), (17, 11), (25, 10), (18, 20)];

/// Rounds in use. Twelve pass BigCrush; thirteen is the smallest number with published known answers.
const ROUNDS: usize = 13;

/// The four words at `counter` under `key`.
#[must_use]
#[inline]
pub fn block(key: [u32; 4], counter: [u32; 4]) -> [u32; 4] {
    let schedule = [key[0], key[1], key[2], key[3], PARITY ^ key[0] ^ key[1] ^ key[2] ^ key[3]];
    let mut x = [0u32; 4];
    for i in 0..4 {
        x[i] = counter[i].wrapping_add(schedule[i]);
    }
    for round in 0..ROUNDS {
        let (r0, r1) = ROTATIONS[round % 8];
        if round % 2 == 0 {
            mix(&mut x, 0, 1, r0);
            mix(&mut x, 2, 3, r1);
        } else {
            mix(&mut x, 0, 3, r0);
            mix(&mut x, 2, 1, r1);
        }
        if round % 4 == 3 {
            let injection = round / 4 + 1;
            for (i, word) in x.iter_mut().enumerate() {
                *word = word.wrapping_add(schedule[(injection + i) % 5]);
            }
            x[3] = x[3].wrapping_add(injection as u32);
        }
    }
    x
}

#[inline(always)]
fn mix(x: &mut [u32; 4], a: usize, b: usize, rotation: u32) {
    x[a] = x[a].wrapping_add(x[b]);
    x[b] = x[b].rotate_left(rotation) ^ x[a];
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
