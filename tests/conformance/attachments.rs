//! Images as images, other files by their path, and what is refused before anything runs.

use std::io::Cursor;

use agent_runtime::{Attachment, DeliveryState, RuntimeError};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use image::{DynamicImage, ImageFormat, RgbImage};
use paddock_tests::real::Real;
use serde_json::Value;

use crate::allows;

fn picture(width: u32, height: u32) -> Vec<u8> {
    let pixels = RgbImage::from_fn(width, height, |x, y| image::Rgb([x as u8, y as u8, 7]));
    let mut bytes = Cursor::new(Vec::new());
    DynamicImage::ImageRgb8(pixels)
        .write_to(&mut bytes, ImageFormat::Png)
        .unwrap();
    bytes.into_inner()
}

fn attached(real: &Real, name: &str, media_type: &str, bytes: &[u8]) -> Attachment {
    let path = real.file(name);
    std::fs::write(&path, bytes).unwrap();
    Attachment {
        path,
        name: name.into(),
        media_type: media_type.into(),
    }
}

/// Every image block that the model got: its media type and its bytes.
fn images(real: &Real) -> Vec<(String, Vec<u8>)> {
    fn collect(value: &Value, found: &mut Vec<(String, Vec<u8>)>) {
        if value["type"] == "image" {
            let source = &value["source"];
            let data = STANDARD.decode(source["data"].as_str().unwrap()).unwrap();
            found.push((source["media_type"].as_str().unwrap().to_owned(), data));
        }
        match value {
            Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
            Value::Object(fields) => fields.values().for_each(|item| collect(item, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    for request in real.model.recorded() {
        collect(&request.body, &mut found);
    }
    found
}

#[tokio::test]
async fn an_image_reaches_the_model_as_it_is_and_its_path_does_not() {
    let real = Real::start().await;
    let bytes = picture(40, 30);
    let mut request = real.turn("text");
    request
        .attachments
        .push(attached(&real, "picture 東.png", "image/png", &bytes));
    let (result, _) = real.run(request, &allows()).await;
    result.unwrap();
    assert!(images(&real).contains(&("image/png".to_owned(), bytes)));
    assert!(!real.told().contains("picture 東.png"), "never both");
}

#[tokio::test]
async fn a_large_image_is_scaled_and_named_by_what_it_is() {
    let real = Real::start().await;
    let mut request = real.turn("text");
    let bytes = picture(4000, 2000);
    request
        .attachments
        .push(attached(&real, "large.jpg", "image/jpeg", &bytes));
    let (result, _) = real.run(request, &allows()).await;
    result.unwrap();
    let (media_type, data) = images(&real).pop().unwrap();
    assert_eq!(media_type, "image/png", "whatever its name says");
    let seen = image::load_from_memory(&data).unwrap();
    assert_eq!((seen.width(), seen.height()), (1568, 784));
}

#[tokio::test]
async fn another_file_is_described_by_its_path_beside_an_image() {
    let real = Real::start().await;
    let mut request = real.turn("text");
    let notes = attached(&real, "notes 東.txt", "text/plain", b"notes");
    let drawing = attached(&real, "drawing.svg", "image/svg+xml", b"<svg/>");
    let image = attached(&real, "a.png", "image/png", &picture(2, 2));
    let path = notes.path.display().to_string();
    request.attachments.extend([notes, drawing, image]);
    let (result, _) = real.run(request, &allows()).await;
    result.unwrap();
    let told = real.told();
    assert!(told.contains(&path) && told.contains("drawing.svg"));
    assert_eq!(images(&real).len(), 1);
}

#[tokio::test]
async fn what_is_no_image_is_refused_before_anything_runs() {
    let real = Real::start().await;
    let mut request = real.turn("text");
    request
        .attachments
        .push(attached(&real, "fake.png", "image/png", b"no picture"));
    let (result, heard) = real.run(request, &allows()).await;
    let error = result.unwrap_err();
    assert!(matches!(error, RuntimeError::InvalidRequest(_)), "{error:?}");
    assert!(error.to_string().contains("fake.png"), "{error}");
    assert_eq!(error.delivery(), DeliveryState::NotSent);
    assert!(heard.events().is_empty() && real.model.recorded().is_empty());
}

#[tokio::test]
async fn a_file_that_is_gone_is_refused_before_anything_runs() {
    let real = Real::start().await;
    let mut request = real.turn("text");
    let gone = attached(&real, "gone.png", "image/png", b"");
    std::fs::remove_file(&gone.path).unwrap();
    request.attachments.push(gone);
    let (result, _) = real.run(request, &allows()).await;
    let error = result.unwrap_err();
    assert_eq!(error.kind(), "file_unreadable", "{error:?}");
    assert!(real.model.recorded().is_empty());
}
