//! Two images, compared pixel by pixel.

use std::{borrow::Cow, io::Cursor};

use png::{ColorType, Decoder, Limits, Transformations};
use protocol::{
    Fault,
    tools::{editor::Region, testing::ScreenshotsCompared},
};

/// The most memory that an image may take: one of 8192 × 8192 pixels.
const LARGEST: usize = 256 << 20;

/// An image: red, green and blue, a byte each, and opacity where it has any, for every pixel.
pub struct Image {
    width: u32,
    height: u32,
    has_opacity: bool,
    bytes: Vec<u8>,
}

impl Image {
    /// Reads a PNG.
    ///
    /// # Errors
    /// If it is none, or too large.
    pub fn decode(png: &[u8]) -> Result<Image, Fault> {
        let broken = |error: png::DecodingError| {
            Fault::invalid(format!("This is no PNG that can be read: {error}."))
        };
        let mut decoder = Decoder::new_with_limits(Cursor::new(png), Limits { bytes: LARGEST });
        decoder.set_transformations(Transformations::normalize_to_color8());
        let mut reader = decoder.read_info().map_err(broken)?;
        // In memory it has four bytes a pixel, whatever it has in the file.
        let pixels = u64::from(reader.info().width) * u64::from(reader.info().height);
        let size = reader.output_buffer_size();
        let size = size.filter(|_| pixels.saturating_mul(4) <= LARGEST as u64);
        let size = size.ok_or_else(|| Fault::invalid("The image is too large to be compared."))?;
        let mut bytes = vec![0; size];
        let info = reader.next_frame(&mut bytes).map_err(broken)?;
        let bytes = match info.color_type {
            ColorType::Grayscale => bytes.iter().flat_map(|&grey| [grey; 3]).collect(),
            ColorType::GrayscaleAlpha => {
                bytes.as_chunks().0.iter().flat_map(|&[grey, a]| [grey, grey, grey, a]).collect()
            }
            _ => bytes,
        };
        let has_opacity = matches!(info.color_type, ColorType::GrayscaleAlpha | ColorType::Rgba);
        Ok(Image { width: info.width, height: info.height, has_opacity, bytes })
    }

    /// Its pixels of four bytes.
    fn with_opacity(&self) -> Cow<'_, [u8]> {
        if self.has_opacity {
            return Cow::Borrowed(&self.bytes);
        }
        let pixels = self.bytes.as_chunks().0.iter();
        Cow::Owned(pixels.flat_map(|&[red, green, blue]| [red, green, blue, u8::MAX]).collect())
    }

    /// Where this image and another differ. Channels that differ by no more than `tolerance`, from 0
    /// to 1, count as the same.
    pub fn compare(&self, other: &Image, tolerance: f64) -> ScreenshotsCompared {
        let (width, height) = (self.width, self.height);
        let total_pixels = u64::from(width) * u64::from(height);
        if (other.width, other.height) != (width, height) {
            return ScreenshotsCompared {
                width,
                height,
                total_pixels,
                diff_pixels: total_pixels,
                diff_ratio: 1.0,
                mean_abs_diff: 1.0,
                other_size: Some(vec![other.width, other.height]),
                ..ScreenshotsCompared::default()
            };
        }
        // Screenshots have no opacity, so that for them a quarter less has to be looked at.
        let found = match self.has_opacity || other.has_opacity {
            false => Found::in_pixels::<3>(&self.bytes, &other.bytes, width, tolerance),
            true => {
                let (these, those) = (self.with_opacity(), other.with_opacity());
                Found::in_pixels::<4>(&these, &those, width, tolerance)
            }
        };
        let count = total_pixels.max(1) as f64;
        ScreenshotsCompared {
            same_size: true,
            width,
            height,
            diff_pixels: found.pixels,
            total_pixels,
            diff_ratio: found.pixels as f64 / count,
            mean_abs_diff: found.sum as f64 / (count * 4.0 * 255.0),
            matches: found.pixels == 0,
            score: 1.0 - found.worst as f64 / (count * 255.0),
            changed_region: found.region(),
            other_size: None,
        }
    }
}

/// What was found so far.
#[derive(Default)]
struct Found {
    /// How many pixels differ by more than the tolerance.
    pixels: u64,
    /// All differences of all channels.
    sum: u64,
    /// The largest difference of each pixel, summed up.
    worst: u64,
    /// Left, top, right and bottom of what differs.
    edges: Option<[u32; 4]>,
}

impl Found {
    /// What two images differ in that have so many bytes a pixel.
    fn in_pixels<const BYTES: usize>(
        these: &[u8],
        those: &[u8],
        width: u32,
        tolerance: f64,
    ) -> Found {
        let mut found = Found::default();
        let (these, those) = (these.as_chunks::<BYTES>().0, those.as_chunks::<BYTES>().0);
        let row = usize::try_from(width).unwrap_or(1).max(1);
        for (y, (these, those)) in (0..).zip(these.chunks(row).zip(those.chunks(row))) {
            // Most rows of two screenshots are the same, and this is much the quickest way to see it.
            if these != those {
                found.look(y, these, those, tolerance * 255.0);
            }
        }
        found
    }

    fn look<const BYTES: usize>(
        &mut self,
        y: u32,
        these: &[[u8; BYTES]],
        those: &[[u8; BYTES]],
        tolerance: f64,
    ) {
        for (x, (a, b)) in (0..).zip(these.iter().zip(those)) {
            let differences = a.iter().zip(b).map(|(a, b)| a.abs_diff(*b));
            let (sum, worst) = differences.fold((0, 0), |(sum, worst), difference| {
                (sum + u64::from(difference), difference.max(worst))
            });
            self.sum += sum;
            self.worst += u64::from(worst);
            if f64::from(worst) > tolerance {
                self.pixels += 1;
                let [left, top, right, bottom] = self.edges.unwrap_or([x, y, x, y]);
                self.edges = Some([left.min(x), top.min(y), right.max(x), bottom.max(y)]);
            }
        }
    }

    fn region(&self) -> Option<Region> {
        let [x, y, right, bottom] = self.edges?;
        Some(Region { x, y, width: right - x + 1, height: bottom - y + 1 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png(width: u32, color: ColorType, bytes: &[u8]) -> Vec<u8> {
        let channels = u32::try_from(color.samples()).unwrap();
        let height = u32::try_from(bytes.len()).unwrap() / width / channels;
        let mut png = Vec::new();
        let mut encoder = png::Encoder::new(&mut png, width, height);
        encoder.set_color(color);
        encoder.write_header().unwrap().write_image_data(bytes).unwrap();
        png
    }

    fn grey(values: &[u8]) -> Image {
        Image::decode(&png(2, ColorType::Grayscale, values)).unwrap()
    }

    #[test]
    fn every_kind_of_pixel_is_read_as_the_same() {
        let grey = grey(&[0, 9, 9, 9]);
        let rgb = png(2, ColorType::Rgb, &[0, 0, 0, 9, 9, 9, 9, 9, 9, 9, 9, 9]);
        let compared = grey.compare(&Image::decode(&rgb).unwrap(), 0.0);
        assert!(compared.matches && compared.score == 1.0, "{compared:?}");
        assert_eq!(compared.changed_region, None);
    }

    #[test]
    fn opacity_counts_where_one_has_it() {
        let rgb = Image::decode(&png(2, ColorType::Rgb, &[9; 6])).unwrap();
        let rgba = png(2, ColorType::Rgba, &[9, 9, 9, 255, 9, 9, 9, 254]);
        let compared = rgb.compare(&Image::decode(&rgba).unwrap(), 0.0);
        assert_eq!(compared.diff_pixels, 1);
        assert_eq!(compared.changed_region, Some(Region { x: 1, y: 0, width: 1, height: 1 }));
        let grey = png(1, ColorType::GrayscaleAlpha, &[9, 0]);
        let rgba = png(1, ColorType::Rgba, &[9, 9, 9, 0]);
        let (grey, rgba) = (Image::decode(&grey).unwrap(), Image::decode(&rgba).unwrap());
        assert!(grey.compare(&rgba, 0.0).matches);
    }

    #[test]
    fn differences_are_counted_and_framed() {
        let (a, b) = (grey(&[0, 0, 0, 0, 0, 0]), grey(&[0, 0, 0, 255, 1, 0]));
        let compared = a.compare(&b, 0.0);
        assert_eq!((compared.diff_pixels, compared.total_pixels), (2, 6));
        assert_eq!(
            compared.changed_region,
            Some(Region { x: 0, y: 1, width: 2, height: 2 }),
            "{compared:?}"
        );
        let tolerant = a.compare(&b, 0.01);
        assert_eq!(tolerant.diff_pixels, 1);
        assert_eq!(tolerant.changed_region, Some(Region { x: 1, y: 1, width: 1, height: 1 }));
        assert!((compared.mean_abs_diff - 256.0 * 3.0 / (6.0 * 4.0 * 255.0)).abs() < 1e-9);
        assert!((compared.score - (1.0 - 256.0 / (6.0 * 255.0))).abs() < 1e-9);
    }

    #[test]
    fn black_against_white_has_no_likeness() {
        assert_eq!(grey(&[0, 0]).compare(&grey(&[255, 255]), 0.0).score, 0.0);
    }

    #[test]
    fn sizes_that_differ_are_told() {
        let compared = grey(&[0, 0]).compare(&grey(&[0, 0, 0, 0]), 0.0);
        assert!(!compared.same_size && !compared.matches);
        assert_eq!(compared.other_size, Some(vec![2, 2]));
    }

    #[test]
    fn what_is_no_png_is_refused() {
        assert!(Image::decode(b"\x89PNG\r\n\x1a\nnothing").is_err());
        assert!(Image::decode(b"").is_err());
    }
}
