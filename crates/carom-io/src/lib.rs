//! Real files for carom: OBJ, STL, PLY, glTF, URDF, scene JSON.
#![forbid(unsafe_code)]
