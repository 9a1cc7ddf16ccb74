//! Any number of threads gives the same bits.

use crate::scenes::{buffer_of, camera, point, square};
use carom_math::Vec3;
use carom_particles::{Bounce, advance_in_field};
use carom_scenes::Rng;

#[test]
fn any_number_of_threads_gives_the_same() {
    let buffer = buffer_of(camera(), 128, &square(Vec3::Z * -5.0, Vec3::new(3.0, 0.0, 1.0), Vec3::Y * 3.0));
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut rng = Rng::new(6);
            let mut positions: Vec<Vec3> =
                (0..30_000).map(|_| point(&mut rng, 3.0) - Vec3::Z * 4.0).collect();
            let mut velocities: Vec<Vec3> = (0..30_000).map(|_| point(&mut rng, 10.0)).collect();
            let (mut fates, mut all) = (Vec::new(), Vec::new());
            for _ in 0..5 {
                let bounce = Bounce::default();
                all.push(buffer.advance(&mut positions, &mut velocities, 0.02, &bounce, &mut fates).unwrap());
                let ball = |p: Vec3| (p.length() - 2.0, p.normalize_or(Vec3::Y));
                let counts =
                    advance_in_field(ball, 0.1, &mut positions, &mut velocities, 0.02, &bounce, &mut fates);
                all.push(counts.unwrap());
            }
            (positions, velocities, fates, all)
        })
    };
    let one = run(1);
    assert!(one.3.iter().all(|counts| 0 < counts.n_bounced));
    assert!(run(2) == one && run(7) == one);
}
