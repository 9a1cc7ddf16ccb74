//! The same fields on one, two and seven threads.
#![cfg(feature = "parallel")]

use crate::scenes::{closed, cuboid, open_box};
use carom_sdf::{BakeSettings, SdfGrid, SparseSdf};

#[test]
fn any_number_of_threads_gives_the_same() {
    for (name, mesh) in closed().into_iter().chain([("open", open_box())]) {
        let settings = BakeSettings::default().with_resolution(18).with_band(3.0);
        let with = |n_threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
            pool.install(|| {
                let few = SparseSdf::from_mesh(&cuboid([0.0; 3], [1.0; 3]), &settings.with_max_nodes(4000));
                let dense = SdfGrid::from_mesh(&mesh, &settings).unwrap();
                (dense, SparseSdf::from_mesh(&mesh, &settings).unwrap(), few)
            })
        };
        let one = with(1);
        assert!(one.2.is_err());
        for n_threads in [2, 7] {
            assert!(with(n_threads) == one, "{name}: {n_threads} threads");
        }
    }
}
