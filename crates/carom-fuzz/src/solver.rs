//! The solver, given bodies, contacts and joints with any numbers.

use crate::bytes::Bytes;
use carom_geom::{Contact, FeatureId, Manifold};
use carom_math::{Mat3, Pose, Vec3};
use carom_response::{
    AxisLimit, Body, ContactPair, Joint, JointKind, Motor, SixDof, Sleepers, Solver, SolverSettings, Spring,
    TorsionSpring,
};

fn body(bytes: &mut Bytes<'_>) -> Body {
    let pose = Pose::new(bytes.rotation_f32(), bytes.point_f32());
    let (linear, angular) = (bytes.point_f32(), bytes.point_f32());
    let mut body = match bytes.byte() % 4 {
        0 => Body::fixed(pose),
        1 => Body::kinematic(pose, linear, angular),
        _ => {
            let inertia = Mat3::from_diagonal(bytes.sizes().as_vec3());
            Body::dynamic(pose, bytes.size() as f32, bytes.point_f32(), inertia)
        }
    };
    if bytes.byte().is_multiple_of(2) {
        (body.linear_velocity, body.angular_velocity) = (linear, angular);
    }
    if bytes.byte().is_multiple_of(4) {
        (body.force, body.torque) = (bytes.point_f32(), bytes.point_f32());
        (body.linear_damping, body.angular_damping) = (bytes.float() as f32, bytes.float() as f32);
        body.gravity_scale = bytes.float() as f32;
    }
    body
}

fn contact(bytes: &mut Bytes<'_>, n: usize) -> ContactPair {
    let normal = match bytes.byte() % 8 {
        0 => bytes.point_f32(),
        1 => Vec3::X,
        _ => Vec3::Y,
    };
    let mut manifold = Manifold::new(normal);
    for i in 0..bytes.below(6) {
        let (a, b) = (bytes.point_f32(), bytes.point_f32());
        let feature = FeatureId::vertex(i as u32);
        manifold.push(Contact::new(a, b, normal, bytes.float() as f32).with_features(feature, feature));
    }
    // An index may be one past the last.
    let (a, b) = (bytes.below(n + 1) as u32, bytes.below(n + 1) as u32);
    ContactPair::new(a, b, manifold, bytes.size() as f32, bytes.size() as f32)
}

fn motor(bytes: &mut Bytes<'_>) -> Option<Motor> {
    let target = bytes.float() as f32;
    let motor = match bytes.byte() % 3 {
        0 => return None,
        1 => Motor::velocity(target),
        _ => Motor::position(target, spring(bytes)),
    };
    Some(motor.with_max_force(bytes.float() as f32))
}

fn spring(bytes: &mut Bytes<'_>) -> Spring {
    Spring::new(bytes.float() as f32, bytes.float() as f32)
}

fn twist(bytes: &mut Bytes<'_>) -> Option<[f32; 2]> {
    let is_limited = bytes.byte().is_multiple_of(2);
    is_limited.then(|| [bytes.float() as f32, bytes.float() as f32])
}

fn six_dof(bytes: &mut Bytes<'_>) -> JointKind {
    let mut axes = SixDof::FREE;
    for k in 0..6 {
        axes.limits[k] = match bytes.byte() % 3 {
            0 => AxisLimit::Free,
            1 => AxisLimit::Locked,
            _ => AxisLimit::Between(bytes.float() as f32, bytes.float() as f32),
        };
        axes.motors[k] = motor(bytes);
    }
    JointKind::SixDof(axes)
}

/// A gear or a rack of two joints, which may be of the wrong kinds, and may share bodies.
fn gear(bytes: &mut Bytes<'_>, bodies: &[Body]) -> Option<Joint> {
    let ratio = bytes.float() as f32;
    let is_rack = bytes.byte().is_multiple_of(2);
    let kind = if is_rack { JointKind::RackAndPinion { ratio } } else { JointKind::Gear { ratio } };
    let mut coupled = || {
        let own =
            if bytes.byte().is_multiple_of(2) { JointKind::FREE_REVOLUTE } else { JointKind::FREE_PRISMATIC };
        let (a, b) = (bytes.below(bodies.len()), bytes.below(bodies.len()));
        let joint = Joint::at(own, bodies, a as u32, b as u32, bytes.point_f32(), Vec3::Z)?;
        Some((joint, [&bodies[a], &bodies[b]]))
    };
    let ((one, of_one), (other, of_other)) = (coupled()?, coupled()?);
    let mut gear = Joint::gear(kind, [&one, &other], [of_one, of_other]).ok()?;
    if bytes.byte().is_multiple_of(8) {
        // A mount that does not exist.
        gear.gear.as_mut()?.mounts[0] = bodies.len() as u32;
    }
    Some(gear)
}

fn joint(bytes: &mut Bytes<'_>, bodies: &[Body]) -> Option<Joint> {
    let (a, b) = (bytes.below(bodies.len() + 1), bytes.below(bodies.len() + 1));
    let kind = match bytes.byte() % 9 {
        0 => JointKind::Weld,
        3 => JointKind::Prismatic {
            limits: Some([bytes.float() as f32, bytes.float() as f32]),
            motor: motor(bytes),
        },
        4 => six_dof(bytes),
        5 => {
            let supports = [bytes.point_f32(), bytes.point_f32()];
            JointKind::Pulley { supports, ratio: bytes.float() as f32, length: bytes.float() as f32 }
        }
        6 => return gear(bytes, bodies),
        7 => JointKind::Screw {
            lead: bytes.float() as f32,
            limits: Some([bytes.float() as f32, bytes.float() as f32]),
            motor: motor(bytes),
        },
        1 => JointKind::Spherical { cone: bytes.float() as f32, twist: twist(bytes) },
        2 => JointKind::Revolute { limits: Some([bytes.float() as f32, bytes.float() as f32]), motor: None },
        _ => JointKind::Distance { min: bytes.float() as f32, max: bytes.float() as f32 },
    };
    // Made by the constructor, and then with fields that the constructor would refuse.
    let mut joint = Joint::at(kind, bodies, a as u32, b as u32, bytes.point_f32(), bytes.point_f32())?;
    if bytes.byte().is_multiple_of(4) {
        joint.frame_a = Pose::new(bytes.rotation_f32(), bytes.point_f32());
        joint.body_b = 1 + b as u32;
    }
    if bytes.byte().is_multiple_of(4) {
        joint.spring = Some(spring(bytes));
    }
    if bytes.byte().is_multiple_of(4) {
        let spring = TorsionSpring::new(bytes.float() as f32, bytes.float() as f32);
        joint = joint.with_torsion_spring(spring.with_damping(bytes.float() as f32));
    }
    Some(joint)
}

/// A step is refused with a reason and changes nothing, or every number is finite after it. The
/// same step from the same state gives the same bits.
pub fn solver(bytes: &[u8]) {
    let mut bytes = Bytes::new(bytes);
    let mut settings = SolverSettings::default().with_substeps(u32::from(bytes.byte() % 6));
    if bytes.byte().is_multiple_of(8) {
        settings.gravity = bytes.point_f32();
        settings.length_unit = bytes.float() as f32;
        settings.slop = bytes.float() as f32;
        settings.max_speed = bytes.float() as f32;
    }
    let bodies: Vec<Body> = (0..1 + bytes.below(6)).map(|_| body(&mut bytes)).collect();
    let contacts: Vec<ContactPair> = (0..bytes.below(6)).map(|_| contact(&mut bytes, bodies.len())).collect();
    let joints: Vec<Joint> = (0..bytes.below(4)).filter_map(|_| joint(&mut bytes, &bodies)).collect();
    let dt = match bytes.byte() % 4 {
        0 => bytes.float() as f32,
        _ => 1.0 / 60.0,
    };
    let run = || {
        let (mut bodies, mut joints) = (bodies.clone(), joints.clone());
        let mut solver = Solver::new(settings);
        let mut sleepers = Sleepers::default();
        let mut ends = Vec::new();
        for _ in 0..3 {
            let before = bodies.clone();
            let end = solver.step(&mut bodies, &contacts, &mut joints, dt);
            match &end {
                Err(error) => {
                    assert!(!error.to_string().is_empty());
                    assert_eq!(
                        format!("{before:?}"),
                        format!("{bodies:?}"),
                        "changed by a refused step: {error:?}"
                    );
                }
                Ok(_) => {
                    sleepers.fall_asleep(&mut bodies, &solver);
                    assert_eq!(sleepers.validate(&bodies), Ok(()));
                    for (i, body) in bodies.iter().enumerate() {
                        let is_finite = body.pose.translation.is_finite()
                            && body.pose.rotation.is_finite()
                            && body.linear_velocity.is_finite()
                            && body.angular_velocity.is_finite();
                        assert!(is_finite, "body {i} is {body:?}, was {:?}", before[i]);
                    }
                }
            }
            // The comparison is of text, in which NaN equals itself.
            ends.push(end.map(|_| ()).map_err(|error| error.to_string()));
        }
        (format!("{bodies:?}"), ends)
    };
    assert_eq!(run(), run());
}
