//! Migrations are compiled in: a changed file must recompile this crate.

fn main() {
    println!("cargo:rerun-if-changed=../../../migrations");
}
