//! The format of the file: what was found, the copy before a change, the change.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Connection, SqliteConnection};

use crate::error::StoreError;
use crate::limits;
use crate::open::make_private_file;

pub(crate) static MIGRATOR: sqlx::migrate::Migrator = sqlx::migrate!("../../../migrations");

/// `PADK`: says whose file it is.
const APPLICATION_ID: i64 = 1_346_454_603;

/// What a migration did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Migrated {
    /// Format before.
    pub from: i64,
    /// Format now.
    pub to: i64,
    /// The checked copy from before it.
    pub copy: PathBuf,
}

/// The newest format that this program knows.
pub fn known_version() -> i64 {
    MIGRATOR
        .iter()
        .map(|migration| migration.version)
        .max()
        .unwrap_or(0)
}

/// The format of a file; 0 when it is empty.
pub(crate) async fn found_version(conn: &mut SqliteConnection, path: &Path) -> Result<i64, StoreError> {
    let marked: i64 = sqlx::query_scalar("PRAGMA user_version")
        .fetch_one(&mut *conn)
        .await?;
    let owner: i64 = sqlx::query_scalar("PRAGMA application_id")
        .fetch_one(&mut *conn)
        .await?;
    let tables: i64 = sqlx::query_scalar("SELECT count(*) FROM sqlite_schema")
        .fetch_one(&mut *conn)
        .await?;
    // The bookkeeping table may stand alone: it is made before the first migration.
    let ours: i64 = sqlx::query_scalar("SELECT count(*) FROM sqlite_schema WHERE name = '_sqlx_migrations'")
        .fetch_one(&mut *conn)
        .await?;
    if (owner != APPLICATION_ID && marked != 0) || (owner == 0 && tables > 0 && ours == 0) {
        return Err(StoreError::Foreign {
            path: path.to_owned(),
        });
    }
    let applied: Option<i64> = if ours > 0 {
        sqlx::query_scalar("SELECT max(version) FROM _sqlx_migrations")
            .fetch_one(&mut *conn)
            .await?
    } else {
        None
    };
    let found = marked.max(applied.unwrap_or(0));
    let known = known_version();
    if found > known {
        return Err(StoreError::Newer {
            path: path.to_owned(),
            found,
            known,
        });
    }
    Ok(found)
}

/// Brings the file to the known format, after a checked copy when it holds anything.
pub(crate) async fn migrate(
    conn: &mut SqliteConnection,
    path: &Path,
    found: i64,
) -> Result<Option<Migrated>, StoreError> {
    let copy = if found > 0 {
        Some(copy_before(conn, path, found + 1).await?)
    } else {
        None
    };
    MIGRATOR.run_direct(None, conn, false).await.map_err(failed)?;
    Ok(copy.map(|copy| Migrated {
        from: found,
        to: known_version(),
        copy,
    }))
}

pub(crate) fn failed(error: sqlx::migrate::MigrateError) -> StoreError {
    match error {
        sqlx::migrate::MigrateError::Execute(error)
        | sqlx::migrate::MigrateError::ExecuteMigration(error, _) => StoreError::from(error),
        other => StoreError::Migration {
            source: Arc::new(other),
        },
    }
}

/// Writes `name.before-N.sqlite` and checks it. It takes its name only when it is sound.
async fn copy_before(conn: &mut SqliteConnection, path: &Path, next: i64) -> Result<PathBuf, StoreError> {
    let copy = copy_path(path, next);
    let part = copy.with_extension("part");
    remove(&part)?;
    make_private_file(&part)?;
    let outcome = write_copy(conn, &part).await;
    if let Err(error) = outcome {
        // The first failure is what matters; a left-over part is replaced next time.
        let _ = fs::remove_file(&part);
        return Err(error);
    }
    fs::rename(&part, &copy).map_err(|error| StoreError::file(&copy, error))?;
    forget_old_copies(path)?;
    Ok(copy)
}

async fn write_copy(conn: &mut SqliteConnection, part: &Path) -> Result<(), StoreError> {
    sqlx::query("VACUUM INTO ?")
        .bind(part.to_string_lossy().as_ref())
        .execute(&mut *conn)
        .await?;
    File::open(part)
        .and_then(|file| file.sync_all())
        .map_err(|error| StoreError::file(part, error))?;
    check_copy(part).await
}

/// Reads a copy as a whole.
pub(crate) async fn check_copy(copy: &Path) -> Result<(), StoreError> {
    let bad = |detail: String| StoreError::BadCopy {
        path: copy.to_owned(),
        detail,
    };
    let options = SqliteConnectOptions::new().filename(copy).read_only(true);
    let mut conn = SqliteConnection::connect_with(&options)
        .await
        .map_err(|error| bad(error.to_string()))?;
    let found: Result<Vec<String>, _> = sqlx::query_scalar("PRAGMA integrity_check(5)")
        .fetch_all(&mut conn)
        .await;
    conn.close().await?;
    match found {
        Ok(found) if found == ["ok"] => Ok(()),
        Ok(found) => Err(bad(found.join("; "))),
        Err(error) => Err(bad(error.to_string())),
    }
}

fn stem(path: &Path) -> String {
    path.file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

fn copy_path(path: &Path, next: i64) -> PathBuf {
    path.with_file_name(format!("{}.before-{next}.sqlite", stem(path)))
}

/// The copies beside a database, newest format first.
///
/// # Errors
/// [`StoreError::File`], [`StoreError::ReadOnly`] when the folder cannot be read.
pub fn copies(path: &Path) -> Result<Vec<(i64, PathBuf)>, StoreError> {
    let Some(folder) = path.parent() else {
        return Ok(Vec::new());
    };
    let prefix = format!("{}.before-", stem(path));
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| StoreError::file(folder, error))? {
        let entry = entry.map_err(|error| StoreError::file(folder, error))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let number = name
            .strip_prefix(&prefix)
            .and_then(|rest| rest.strip_suffix(".sqlite"));
        if let Some(number) = number.and_then(|number| number.parse().ok()) {
            found.push((number, entry.path()));
        }
    }
    found.sort_by_key(|(number, _)| std::cmp::Reverse(*number));
    Ok(found)
}

fn forget_old_copies(path: &Path) -> Result<(), StoreError> {
    copies(path)?
        .iter()
        .skip(limits::KEPT_COPIES)
        .try_for_each(|(_, old)| remove(old))
}

fn remove(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(StoreError::file(path, error)),
        _ => Ok(()),
    }
}
