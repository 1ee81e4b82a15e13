//! Attached images: read on the target, checked by their bytes, scaled to what a model sees.

use std::io::Cursor;
use std::sync::Arc;

use agent_domain::{AgentAdapter, Attachment, NativeImage, RequestError, TurnRequest, limits};
use agent_exec::transport::ExecutionTransport;
use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::PngEncoder;
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits};

use crate::error::RuntimeError;

/// Qualities of images that are stored anew as JPEG, of 100: the next one where the one before is too large.
const JPEG_QUALITIES: [u8; 2] = [85, 50];

/// The images of a turn, ready to be handed over. Empty where the harness takes none: its adapter describes them.
pub(crate) async fn load(
    adapter: &dyn AgentAdapter,
    transport: &dyn ExecutionTransport,
    request: &TurnRequest,
) -> Result<Vec<NativeImage>, RuntimeError> {
    let mut images = Vec::new();
    if !adapter.capabilities().turn.native_image_attachments {
        return Ok(images);
    }
    let mut total = 0;
    for attachment in request.attachments.iter().filter(|file| file.is_image()) {
        let read = transport.read_file(&attachment.path, limits::MAX_IMAGE_FILE_BYTES);
        let bytes = read.await.map_err(RuntimeError::unsent)?;
        let image = fit_one(attachment.clone(), bytes).await?;
        total += image.data.len();
        if total > limits::MAX_IMAGES_BYTES {
            return Err(RequestError::invalid("attachments", "images of at most 20 MB together").into());
        }
        images.push(image);
    }
    Ok(images)
}

async fn fit_one(attachment: Attachment, bytes: Vec<u8>) -> Result<NativeImage, RequestError> {
    let name = attachment.name.clone();
    let work = tokio::task::spawn_blocking(move || {
        scaled(
            &attachment.name,
            bytes,
            limits::IMAGE_SIDE,
            limits::MAX_IMAGE_BYTES,
        )
    });
    let panicked = |_| RequestError::invalid("attachments", format!("{name}: an image that can be read"));
    work.await.map_err(panicked)?
}

/// What the bytes of an image say about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageFacts {
    /// One of [`agent_domain::NATIVE_IMAGE_TYPES`].
    pub media_type: &'static str,
    /// In pixels, as stored.
    pub width: u32,
    /// In pixels, as stored.
    pub height: u32,
}

/// Looks at the first bytes of a file: is it an image that harnesses take? It is not decoded; see [`scaled`].
pub fn inspect(bytes: &[u8]) -> Option<ImageFacts> {
    let format = image::guess_format(bytes).ok()?;
    let media_type = media_type(format)?;
    let reader = ImageReader::with_format(Cursor::new(bytes), format);
    let (width, height) = reader.into_dimensions().ok()?;
    Some(ImageFacts {
        media_type,
        width,
        height,
    })
}

/// The image as it is where its longer side has at most `side` pixels and it has at most `max_bytes`; else scaled, turned
/// upright and stored anew. Blocking; decodes within [`limits::MAX_IMAGE_MEMORY_BYTES`].
///
/// # Errors
/// [`RequestError::Invalid`] naming the file where it is no image that harnesses take, or does not get small enough.
pub fn scaled(name: &str, bytes: Vec<u8>, side: u32, max_bytes: usize) -> Result<NativeImage, RequestError> {
    let wrong = |expected: String| RequestError::invalid("attachments", format!("{name}: {expected}"));
    let unreadable = |error: image::ImageError| wrong(format!("an image that can be read ({error})"));
    let format = image::guess_format(&bytes).ok();
    let Some((format, media_type)) = format.and_then(|format| Some((format, media_type(format)?))) else {
        return Err(wrong("a PNG, JPEG, GIF or WebP image".to_owned()));
    };
    let (mut picture, orientation) = decode(&bytes, format).map_err(unreadable)?;
    let longer = picture.width().max(picture.height());
    if longer <= side && bytes.len() <= max_bytes {
        return Ok(native(name, media_type, bytes));
    }
    picture.apply_orientation(orientation);
    if longer > side {
        picture = picture.thumbnail(side, side);
    }
    let (media_type, data) = encode(&picture, format, max_bytes).map_err(unreadable)?;
    if data.len() > max_bytes {
        return Err(wrong(format!(
            "an image that scales to at most {max_bytes} bytes"
        )));
    }
    Ok(native(name, media_type, data))
}

fn native(name: &str, media_type: &'static str, data: Vec<u8>) -> NativeImage {
    NativeImage {
        name: name.to_owned(),
        media_type,
        data: Arc::from(data),
    }
}

fn media_type(format: ImageFormat) -> Option<&'static str> {
    let name = format.to_mime_type();
    agent_domain::NATIVE_IMAGE_TYPES
        .into_iter()
        .find(|known| *known == name)
}

/// Decodes within the bounds, so that a small file cannot ask for a lot of memory.
fn decode(bytes: &[u8], format: ImageFormat) -> image::ImageResult<(DynamicImage, Orientation)> {
    let mut bounds = Limits::default();
    bounds.max_image_width = Some(limits::MAX_IMAGE_SIDE);
    bounds.max_image_height = Some(limits::MAX_IMAGE_SIDE);
    bounds.max_alloc = Some(limits::MAX_IMAGE_MEMORY_BYTES);
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    reader.limits(bounds);
    let mut decoder = reader.into_decoder()?;
    let orientation = decoder.orientation()?;
    Ok((DynamicImage::from_decoder(decoder)?, orientation))
}

/// Photos stay JPEG. What can be clear, or is drawn, stays exact unless it is too large for that.
fn encode(
    picture: &DynamicImage,
    from: ImageFormat,
    max_bytes: usize,
) -> image::ImageResult<(&'static str, Vec<u8>)> {
    let mut data = Vec::new();
    if from != ImageFormat::Jpeg {
        picture.write_with_encoder(PngEncoder::new(&mut data))?;
        if data.len() <= max_bytes {
            return Ok(("image/png", data));
        }
    }
    let flat = DynamicImage::ImageRgb8(picture.to_rgb8());
    for quality in JPEG_QUALITIES {
        data.clear();
        flat.write_with_encoder(JpegEncoder::new_with_quality(&mut data, quality))?;
        if data.len() <= max_bytes {
            break;
        }
    }
    Ok(("image/jpeg", data))
}

#[cfg(test)]
mod tests {
    use image::GenericImageView;

    use super::*;

    /// Noise, so that it does not shrink.
    fn noise(width: u32, height: u32) -> DynamicImage {
        let mut state = 1_u32;
        DynamicImage::ImageRgb8(image::RgbImage::from_fn(width, height, |_, _| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            image::Rgb([(state >> 24) as u8, (state >> 16) as u8, (state >> 8) as u8])
        }))
    }

    fn stored(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        picture.write_to(&mut bytes, format).unwrap();
        bytes.into_inner()
    }

    fn fit(name: &str, bytes: Vec<u8>) -> Result<NativeImage, RequestError> {
        scaled(name, bytes, limits::IMAGE_SIDE, limits::MAX_IMAGE_BYTES)
    }

    fn size(image: &NativeImage) -> (u32, u32) {
        image::load_from_memory(&image.data).unwrap().dimensions()
    }

    #[test]
    fn an_image_that_fits_goes_as_it_is_under_its_real_type() {
        for (format, media_type) in [
            (ImageFormat::Png, "image/png"),
            (ImageFormat::Jpeg, "image/jpeg"),
            (ImageFormat::Gif, "image/gif"),
            (ImageFormat::WebP, "image/webp"),
        ] {
            let bytes = stored(&noise(20, 10), format);
            let image = fit("named.png", bytes.clone()).unwrap();
            assert_eq!(image.media_type, media_type);
            assert_eq!(&*image.data, bytes);
            let facts = inspect(&bytes).unwrap();
            assert_eq!(
                (facts.media_type, facts.width, facts.height),
                (media_type, 20, 10)
            );
        }
    }

    #[test]
    fn a_large_image_is_scaled_on_its_longer_side() {
        let edge = fit("a", stored(&noise(limits::IMAGE_SIDE, 4), ImageFormat::Png)).unwrap();
        assert_eq!(size(&edge), (limits::IMAGE_SIDE, 4));
        let image = fit("a", stored(&noise(40, limits::IMAGE_SIDE * 2), ImageFormat::Png)).unwrap();
        assert_eq!(size(&image), (20, limits::IMAGE_SIDE));
        assert_eq!(image.media_type, "image/png", "drawn things stay exact");
    }

    #[test]
    fn what_does_not_shrink_is_stored_as_a_photo() {
        let bytes = stored(&noise(1500, 1500), ImageFormat::Png);
        assert!(bytes.len() > limits::MAX_IMAGE_BYTES);
        let image = fit("a", bytes).unwrap();
        assert_eq!(image.media_type, "image/jpeg");
        assert!(image.data.len() <= limits::MAX_IMAGE_BYTES);
    }

    #[test]
    fn what_is_no_image_is_refused_by_its_name() {
        let mut cut = stored(&noise(20, 10), ImageFormat::Png);
        cut.truncate(40);
        let bmp_like = b"BM not really a bitmap".to_vec();
        for bytes in [b"text".to_vec(), Vec::new(), cut, bmp_like] {
            let error = fit("picture", bytes).unwrap_err().to_string();
            assert!(error.contains("attachments: picture:"), "{error}");
        }
    }

    #[test]
    fn a_header_that_claims_too_many_pixels_is_refused() {
        let mut bytes = stored(&noise(4, 4), ImageFormat::Png);
        // Width and height of the header; its checksum is not what refuses it.
        bytes[16..24].copy_from_slice(&[0, 0, 0x50, 0, 0, 0, 0x50, 0]);
        assert!(fit("bomb", bytes).is_err());
    }

    #[test]
    fn a_turned_photo_is_scaled_upright() {
        let photo = noise(limits::IMAGE_SIDE * 2, 100);
        let mut bytes = Vec::new();
        let mut encoder = JpegEncoder::new(&mut bytes);
        // An EXIF block that only says: turned by a quarter.
        let exif = b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0".to_vec();
        image::ImageEncoder::set_exif_metadata(&mut encoder, exif).unwrap();
        photo.write_with_encoder(encoder).unwrap();
        assert_eq!(size(&fit("photo", bytes).unwrap()), (50, limits::IMAGE_SIDE));
    }
}
