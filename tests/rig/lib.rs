//! Test rig.
