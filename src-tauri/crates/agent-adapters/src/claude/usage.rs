//! Tokens, cost, context window and quota.

use std::collections::BTreeMap;

use agent_domain::usage::{AccountUsage, AccountWindow, AccountWindowKind, ContextWindow, TurnUsage};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::wire::{ModelUsage, ResultLine, Usage, part};

/// Seconds above which a number can only be milliseconds.
const MAX_SECONDS: f64 = 1e11;

/// What is known of usage in a connection.
#[derive(Debug, Default)]
pub(super) struct Meter {
    /// Tokens on the prompt side of the last request of the main thread.
    context: Option<u64>,
    /// Cost of the whole process so far.
    cost: f64,
    pub(super) turn: TurnUsage,
}

impl Meter {
    /// A new turn begins.
    pub(super) fn begin(&mut self) {
        self.turn = TurnUsage::default();
    }

    /// A request of the main thread.
    pub(super) fn request(&mut self, usage: &Usage) {
        let parts = [
            usage.input_tokens,
            usage.cache_creation_input_tokens,
            usage.cache_read_input_tokens,
        ];
        if parts.iter().any(Option::is_some) {
            self.context = Some(parts.iter().flatten().sum());
        }
    }

    /// The end of a turn: its own tokens, its share of the cost, the gauge.
    pub(super) fn result(&mut self, line: &ResultLine, model: Option<&str>) -> TurnUsage {
        let tokens = line.usage.unwrap_or_default();
        let cost = line.total_cost_usd.map(|total| {
            let own = total - self.cost;
            self.cost = total;
            own
        });
        self.turn = TurnUsage {
            input: tokens.input_tokens,
            output: tokens.output_tokens,
            cache_creation: tokens.cache_creation_input_tokens,
            cache_read: tokens.cache_read_input_tokens,
            context_window: self.context.map(|used| ContextWindow {
                used,
                limit: line.model_usage.as_ref().and_then(|all| window(all, model)),
                model: model.map(str::to_owned),
                estimated: true,
            }),
            cost_usd: cost.filter(|cost| *cost >= 0.0),
        };
        self.turn.clone()
    }
}

/// The window of the announced model. Helpers are listed as well, sometimes first, so a guess needs a single entry.
fn window(all: &BTreeMap<String, ModelUsage>, model: Option<&str>) -> Option<u64> {
    let announced = model.and_then(|model| all.get(model));
    let only = if all.len() == 1 { all.values().next() } else { None };
    announced.or(only)?.context_window
}

#[derive(Deserialize)]
struct RateLimit {
    #[serde(default)]
    status: String,
    #[serde(default, rename = "resetsAt")]
    resets_at: Option<serde_json::Value>,
    #[serde(default, rename = "rateLimitType")]
    kind: Option<String>,
    #[serde(default)]
    utilization: Option<f64>,
}

/// A quota frame. Any status that begins with `allowed` is no refusal.
pub(super) fn rate_limit(raw: Option<&RawValue>) -> Option<AccountUsage> {
    let limit: RateLimit = part(raw)?;
    let id = limit.kind.unwrap_or_else(|| "unknown".to_owned());
    let (kind, minutes) = match id.as_str() {
        "five_hour" => (AccountWindowKind::Session, Some(300)),
        name if name.starts_with("seven_day") => (AccountWindowKind::Weekly, Some(10_080)),
        _ => (AccountWindowKind::Other, None),
    };
    Some(AccountUsage {
        provider: super::ID.to_owned(),
        plan: None,
        windows: vec![AccountWindow {
            label: label(&id),
            id,
            kind,
            used_percent: limit.utilization.map(|share| share * 100.0),
            duration_minutes: minutes,
            resets_at: limit.resets_at.as_ref().and_then(epoch_ms),
            exhausted: !limit.status.starts_with("allowed"),
        }],
        credits: None,
    })
}

fn label(id: &str) -> Option<String> {
    match id {
        "five_hour" => Some("5 hours".into()),
        "seven_day" => Some("7 days".into()),
        "seven_day_opus" => Some("7 days, Opus".into()),
        "seven_day_sonnet" => Some("7 days, Sonnet".into()),
        _ => None,
    }
}

/// Seconds, milliseconds or ISO 8601 in UTC, to milliseconds since the Unix epoch.
fn epoch_ms(value: &serde_json::Value) -> Option<i64> {
    if let Some(number) = value.as_f64() {
        let ms = if number < MAX_SECONDS {
            number * 1000.0
        } else {
            number
        };
        return Some(ms as i64);
    }
    iso_ms(value.as_str()?)
}

fn iso_ms(text: &str) -> Option<i64> {
    let (date, time) = text.split_once('T')?;
    let time = time.trim_end_matches('Z').split(['.', '+']).next()?;
    let date: Vec<i64> = date.split('-').map(str::parse).collect::<Result<_, _>>().ok()?;
    let time: Vec<i64> = time.split(':').map(str::parse).collect::<Result<_, _>>().ok()?;
    let ([year, month, day], [hour, minute, second]) = (date.as_slice(), time.as_slice()) else {
        return None;
    };
    // Days since the epoch of a proleptic Gregorian date, with years that begin in March.
    let (y, m) = if *month <= 2 {
        (year - 1, month + 9)
    } else {
        (*year, month - 3)
    };
    let era = y.div_euclid(400);
    let year_of_era = y.rem_euclid(400);
    let day_of_year = (153 * m + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    let days = era * 146_097 + day_of_era - 719_468;
    Some((((days * 24 + hour) * 60 + minute) * 60 + second) * 1000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_reset_is_read_as_seconds_milliseconds_and_iso() {
        for value in [
            json!(1_893_456_000),
            json!(1_893_456_000_000_i64),
            json!("2030-01-01T00:00:00Z"),
        ] {
            assert_eq!(epoch_ms(&value), Some(1_893_456_000_000), "{value}");
        }
        assert_eq!(
            epoch_ms(&json!("2024-02-29T12:30:15.250Z")),
            Some(1_709_209_815_000)
        );
        assert_eq!(epoch_ms(&json!("soon")), None);
    }

    #[test]
    fn a_warning_is_no_refusal() {
        let raw = RawValue::from_string(
            json!({"status": "allowed_warning", "rateLimitType": "five_hour", "utilization": 0.91})
                .to_string(),
        )
        .unwrap();
        let usage = rate_limit(Some(&raw)).unwrap();
        assert!(!usage.windows[0].exhausted);
        assert_eq!(usage.windows[0].used_percent, Some(91.0));
    }
}
