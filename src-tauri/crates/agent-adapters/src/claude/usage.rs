//! Tokens, cost and context of turns, and quota snapshots.

use std::collections::BTreeMap;

use agent_domain::{AccountUsage, AccountWindow, AccountWindowKind, ContextWindow, TurnUsage};
use serde::Deserialize;
use serde_json::Value;

use super::reading::lenient;
use super::wire::Usage;

/// Numbers above this are milliseconds, below seconds (the year 5138 in seconds, 1973 in milliseconds).
const MILLISECONDS_FROM: f64 = 1e11;

/// One entry of `modelUsage`, cumulative over the process.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ModelUsage {
    #[serde(default, deserialize_with = "lenient")]
    context_window: Option<u64>,
    #[serde(default, deserialize_with = "lenient")]
    input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "lenient")]
    output_tokens: Option<u64>,
}

/// Input and output tokens of each model of the process, at the last result.
type Counted = BTreeMap<String, (u64, u64)>;

/// Figures of a connection.
#[derive(Debug, Default)]
pub(super) struct UsageBook {
    turn: TurnUsage,
    total_cost: f64,
    context: Option<ContextWindow>,
    limit: Option<u64>,
    request: Option<Usage>,
    counted: Counted,
}

impl UsageBook {
    pub(super) fn begin_turn(&mut self) {
        self.turn = TurnUsage::default();
        self.request = None;
    }

    pub(super) fn turn(&self) -> TurnUsage {
        TurnUsage {
            context_window: self.context.clone(),
            ..self.turn.clone()
        }
    }

    /// Counts of the running request of the main thread.
    pub(super) fn request(&mut self, usage: Option<Usage>) {
        if usage.is_some_and(|usage| usage.input_tokens.is_some()) {
            self.request = usage;
        }
    }

    /// The request of the main thread ended: the gauge moves. Nothing when it did not.
    pub(super) fn request_done(&mut self, model: Option<&str>) -> Option<TurnUsage> {
        let usage = self.request.take()?;
        let parts = [
            usage.input_tokens,
            usage.cache_creation_input_tokens,
            usage.cache_read_input_tokens,
        ];
        let used: u64 = parts
            .iter()
            .flatten()
            .fold(0, |sum, part| sum.saturating_add(*part));
        if used == 0 {
            return None;
        }
        let window = ContextWindow {
            used,
            limit: self.limit.or_else(|| model.and_then(named_window)),
            model: model.map(str::to_owned),
            estimated: true,
        };
        if self.context.as_ref() == Some(&window) {
            return None;
        }
        self.context = Some(window);
        Some(TurnUsage {
            context_window: self.context.clone(),
            ..TurnUsage::default()
        })
    }

    /// The context after a compaction, as the harness counted it.
    pub(super) fn compacted(&mut self, tokens: Option<u64>, model: Option<&str>) {
        self.request = None;
        self.context = tokens.map(|used| ContextWindow {
            used,
            limit: self.limit,
            model: model.map(str::to_owned),
            estimated: false,
        });
    }

    /// Another model answers: its window is not known yet.
    pub(super) fn model_changed(&mut self) {
        self.limit = None;
    }

    /// The figures of a `result`: tokens are per result, cost is cumulative.
    pub(super) fn result(
        &mut self,
        usage: Option<Usage>,
        total_cost: Option<f64>,
        models: &BTreeMap<String, ModelUsage>,
        model: Option<&str>,
    ) -> TurnUsage {
        self.request_done(model);
        if let Some(usage) = usage.filter(|usage| *usage != ZERO) {
            let add = |have: &mut Option<u64>, more: Option<u64>| {
                if let Some(more) = more {
                    *have = Some(have.unwrap_or(0).saturating_add(more));
                }
            };
            add(&mut self.turn.input, usage.input_tokens);
            add(&mut self.turn.output, usage.output_tokens);
            add(&mut self.turn.cache_creation, usage.cache_creation_input_tokens);
            add(&mut self.turn.cache_read, usage.cache_read_input_tokens);
        }
        if let Some(total) = total_cost.filter(|total| total.is_finite()) {
            // A total below the last one was counted anew.
            let part = if total >= self.total_cost {
                total - self.total_cost
            } else {
                total
            };
            self.total_cost = total;
            self.turn.cost_usd = Some(self.turn.cost_usd.unwrap_or(0.0) + part);
        }
        self.limit = window_of(models, model, usage, &self.counted).or(self.limit);
        self.counted = models
            .iter()
            .map(|(name, entry)| (name.clone(), entry.counts()))
            .collect();
        if let (Some(context), Some(limit)) = (&mut self.context, self.limit) {
            context.limit = Some(limit);
        }
        self.turn()
    }
}

/// What a turn that was cut off reports instead of its counts: unknown, not nothing.
const ZERO: Usage = Usage {
    input_tokens: Some(0),
    output_tokens: Some(0),
    cache_creation_input_tokens: Some(0),
    cache_read_input_tokens: Some(0),
};

impl ModelUsage {
    fn counts(&self) -> (u64, u64) {
        (
            self.input_tokens.unwrap_or_default(),
            self.output_tokens.unwrap_or_default(),
        )
    }
}

/// `modelUsage` lists helper models too, sometimes first: the announced model counts, else the one entry that grew by
/// exactly what this result used. Several or none: unknown.
fn window_of(
    models: &BTreeMap<String, ModelUsage>,
    model: Option<&str>,
    usage: Option<Usage>,
    counted: &Counted,
) -> Option<u64> {
    if let Some(announced) = model.and_then(|model| models.get(model)) {
        return announced.context_window;
    }
    let usage = usage.filter(|usage| *usage != ZERO)?;
    let used = (usage.input_tokens?, usage.output_tokens?);
    let mut grown = models.iter().filter(|(name, entry)| {
        let (before, now) = (counted.get(*name).copied().unwrap_or_default(), entry.counts());
        (now.0.checked_sub(before.0), now.1.checked_sub(before.1)) == (Some(used.0), Some(used.1))
    });
    match (grown.next(), grown.next()) {
        (Some((_, entry)), None) => entry.context_window,
        _ => None,
    }
}

/// The window that stands in a model's own name.
pub(super) fn named_window(model: &str) -> Option<u64> {
    let (_, size) = model.strip_suffix(']')?.rsplit_once('[')?;
    match size.to_ascii_lowercase().as_str() {
        "1m" => Some(1_000_000),
        "200k" => Some(200_000),
        _ => None,
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RateLimit {
    #[serde(default, deserialize_with = "lenient")]
    status: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    resets_at: Option<Value>,
    #[serde(default, deserialize_with = "lenient")]
    rate_limit_type: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    utilization: Option<f64>,
}

impl RateLimit {
    /// A snapshot of the one window that the event is about. A warning is still an allowance.
    pub(super) fn account(self) -> AccountUsage {
        let id = self.rate_limit_type.unwrap_or_else(|| "unknown".to_owned());
        let (kind, label, minutes) = window_names(&id);
        let window = AccountWindow {
            label: label.map(str::to_owned),
            kind,
            used_percent: self
                .utilization
                .filter(|share| share.is_finite())
                .map(|share| (share * 1e4).round() / 100.0),
            duration_minutes: minutes,
            resets_at: self.resets_at.as_ref().and_then(milliseconds),
            exhausted: self.status.is_some_and(|status| !status.starts_with("allowed")),
            id,
        };
        AccountUsage {
            provider: "claude".to_owned(),
            plan: None,
            windows: vec![window],
            credits: None,
        }
    }
}

/// What a window spans, its label, and its minutes, by the CLI's name for it (2.1.332).
pub(super) fn window_names(id: &str) -> (AccountWindowKind, Option<&'static str>, Option<u64>) {
    match id {
        "five_hour" => (AccountWindowKind::Session, Some("5 hours"), Some(300)),
        "seven_day" => (AccountWindowKind::Weekly, Some("7 days"), Some(10_080)),
        "seven_day_opus" => (AccountWindowKind::Weekly, Some("7 days, Opus"), Some(10_080)),
        "seven_day_sonnet" => (AccountWindowKind::Weekly, Some("7 days, Sonnet"), Some(10_080)),
        other if other.starts_with("seven_day") => (AccountWindowKind::Weekly, None, Some(10_080)),
        _ => (AccountWindowKind::Other, None, None),
    }
}

/// Seconds, milliseconds or an ISO 8601 time in UTC, as milliseconds since the Unix epoch.
pub(super) fn milliseconds(value: &Value) -> Option<i64> {
    if let Some(number) = value.as_f64() {
        let ms = if number.abs() < MILLISECONDS_FROM {
            number * 1000.0
        } else {
            number
        };
        return (ms.is_finite() && ms.abs() < 1e15).then_some(ms as i64);
    }
    let text = value.as_str()?;
    text.parse::<f64>()
        .ok()
        .and_then(|number| milliseconds(&Value::from(number)))
        .or_else(|| iso(text))
}

/// `2026-11-30T22:04:22.958Z` or with an offset such as `+02:00`.
fn iso(text: &str) -> Option<i64> {
    let (date, time) = text.split_once('T')?;
    let mut date = date.splitn(3, '-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    let split = time.find(['Z', '+', '-']).unwrap_or(time.len());
    let (clock, zone) = time.split_at(split);
    let mut clock = clock.splitn(3, ':').map(|part| part.parse::<f64>().ok());
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next().unwrap_or(Some(0.0))?);
    let in_range = (1..=9999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    if !in_range
        || !(0.0..24.0).contains(&hour)
        || !(0.0..60.0).contains(&minute)
        || !(0.0..61.0).contains(&second)
    {
        return None;
    }
    let offset = match zone
        .strip_prefix(['+', '-'])
        .and_then(|zone| zone.split_once(':'))
    {
        Some((hours, minutes)) => {
            let minutes = hours.parse::<i64>().ok()? * 60 + minutes.parse::<i64>().ok()?;
            if zone.starts_with('-') { -minutes } else { minutes }
        }
        None => 0,
    };
    let days = days_from_civil(year, month, day);
    let seconds = (days * 86_400) as f64 + hour * 3600.0 + minute * 60.0 + second - (offset * 60) as f64;
    Some((seconds * 1000.0).round() as i64)
}

/// Days since 1970-01-01 in the Gregorian calendar, counted in years that begin in March.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn times_come_in_three_forms() {
        for value in [
            json!(1_893_456_000),
            json!(1_893_456_000_000_i64),
            json!("2030-01-01T00:00:00Z"),
        ] {
            assert_eq!(milliseconds(&value), Some(1_893_456_000_000), "{value}");
        }
        assert_eq!(
            milliseconds(&json!("2030-01-01T02:00:00.5+02:00")),
            Some(1_893_456_000_500)
        );
        assert_eq!(milliseconds(&json!("soon")), None);
        assert_eq!(milliseconds(&json!(null)), None);
    }

    #[test]
    fn a_warning_is_not_a_refusal() {
        let read = |status: &str| {
            let event =
                json!({"status": status, "resetsAt": 1, "rateLimitType": "five_hour", "utilization": 0.91});
            serde_json::from_str::<RateLimit>(&event.to_string())
                .unwrap()
                .account()
                .windows
                .remove(0)
        };
        assert!(
            !read("allowed").exhausted && !read("allowed_warning").exhausted && read("rejected").exhausted
        );
        assert_eq!(read("allowed").used_percent, Some(91.0));
    }

    #[test]
    fn the_window_is_the_announced_model_s_and_cost_is_a_difference() {
        let models: BTreeMap<String, ModelUsage> =
            serde_json::from_str(r#"{"helper":{"contextWindow":200000},"main":{"contextWindow":1000000}}"#)
                .unwrap();
        let none = Counted::new();
        assert_eq!(window_of(&models, Some("main"), None, &none), Some(1_000_000));
        assert_eq!(window_of(&models, Some("other"), None, &none), None);
        assert_eq!(named_window("opus[1m]"), Some(1_000_000));
        let mut book = UsageBook::default();
        book.begin_turn();
        assert_eq!(book.result(None, Some(0.5), &models, None).cost_usd, Some(0.5));
        book.begin_turn();
        assert_eq!(book.result(None, Some(0.75), &models, None).cost_usd, Some(0.25));
    }

    #[test]
    fn a_window_without_a_name_is_found_by_what_grew_and_only_then() {
        let models = |helper: u64, main: u64| -> BTreeMap<String, ModelUsage> {
            let entry = |tokens: u64, window: u64| json!({"inputTokens": tokens, "outputTokens": tokens, "contextWindow": window});
            let all = json!({"helper": entry(helper, 200_000), "main": entry(main, 1_000_000)});
            serde_json::from_str(&all.to_string()).unwrap()
        };
        let used = |tokens: u64| {
            Some(Usage {
                input_tokens: Some(tokens),
                output_tokens: Some(tokens),
                ..Usage::default()
            })
        };
        let before: Counted = [("helper".to_owned(), (5, 5)), ("main".to_owned(), (10, 10))].into();
        assert_eq!(
            window_of(&models(8, 50), None, used(40), &before),
            Some(1_000_000)
        );
        assert_eq!(
            window_of(&models(45, 50), None, used(40), &before),
            None,
            "two grew alike"
        );
        assert_eq!(
            window_of(&models(8, 50), None, used(41), &before),
            None,
            "none did"
        );
    }
}
