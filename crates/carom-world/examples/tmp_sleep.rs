use carom_geom::{Cuboid,HalfSpace};use carom_math::Vec3;use carom_query::Shape;use carom_world::*;
fn cub(h:f32)->Shape{Shape::Cuboid(Cuboid::new(Vec3::splat(h)).unwrap())}
fn main(){
 for (n,push) in [(1,0.0),(5,0.0),(10,0.0),(20,0.0),(5,3.0),(5,1.0),(7,1.0),(3,2.0),(8,2.0)]{
  let mut w=World::new(); w.insert(BodyDesc::fixed(Shape::HalfSpace(HalfSpace::new(Vec3::Y).unwrap()))).unwrap();
  let ids:Vec<_>=(0..n).map(|i|w.insert(BodyDesc::new(cub(0.5)).with_position(Vec3::new(0.0,0.5+i as f32,0.0))).unwrap()).collect();
  if push>0.0{for _ in 0..200{w.step(1./60.).unwrap();} w.apply_impulse(ids[n-1],Vec3::X*push,Vec3::new(0.0,n as f32-0.5,0.0)).unwrap();}
  let mut at=None;
  for s in 0..3000{w.step(1./60.).unwrap(); if ids.iter().all(|&i|w.is_sleeping(i).unwrap()){at=Some(s);break;}}
  println!("n {n} push {push}: asleep {at:?}");
 }
 // piles of 1000 boxes
 let mut sum=0.0; 
 for seed in 0..6u64{
  let mut w=World::new(); w.insert(BodyDesc::fixed(Shape::HalfSpace(HalfSpace::new(Vec3::Y).unwrap()))).unwrap();
  let mut s=seed*7919+1; let mut r=||{s=s.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);((s>>33) as f32)/(1u64<<31) as f32-0.5};
  let ids:Vec<_>=(0..1000).map(|i|{let (l,c)=(i/100,i%100);w.insert(BodyDesc::new(cub(0.5)).with_position(Vec3::new((c%10) as f32*1.2+0.3*r(),0.7+l as f32*1.2,(c/10) as f32*1.2+0.3*r()))).unwrap()}).collect();
  let mut last=0;
  for st in 0..1500{w.step(1./60.).unwrap(); if ids.iter().all(|&i|w.is_sleeping(i).unwrap()){last=st;break;} last=st;}
  println!("pile seed {seed}: {last}"); sum+=last as f64;
 }
 println!("mean {}",sum/6.0);
}
