//! What was drawn, as a PNG of the size that was asked for.

use godot::{
    classes::{
        DisplayServer, Image, Marshalls, RenderingServer, Viewport,
        image::{Format, Interpolation},
    },
    prelude::*,
};
use protocol::{
    Fault, Required,
    tools::editor::{Picture, Pixels, Region},
};

/// Refuses where nothing is drawn. `who` is the editor or the game.
pub(crate) fn require_display(who: &str) -> Result<(), Fault> {
    if DisplayServer::singleton().get_name() != "headless" {
        return Ok(());
    }
    Err(Fault::precondition(
        Required::DISPLAY,
        format!(
            "{who} runs without a display (--headless), so nothing is drawn and there is no picture. \
             Start the editor in a window, on a virtual display such as Xvfb if there is no other; or \
             read what is there as values instead."
        ),
    ))
}

/// Draws everything as it is now, without showing it.
pub(crate) fn draw() {
    RenderingServer::singleton().force_draw_ex().swap_buffers(false).frame_step(0.0).done();
}

/// What a viewport has drawn.
pub(crate) fn of_viewport(viewport: &Gd<Viewport>) -> Option<Gd<Image>> {
    viewport.get_texture()?.get_image().filter(|image| !image.is_empty())
}

/// A picture of it: the part `region`, its longest side no longer than `max_size`.
pub(crate) fn of_image(
    mut image: Gd<Image>,
    what: String,
    region: Option<Region>,
    max_size: Pixels,
) -> Result<Picture, Fault> {
    let (width, height) = (image.get_width(), image.get_height());
    if width < 2 || height < 2 {
        return Err(Fault::internal(format!(
            "The picture has {width} × {height} pixels: the view is not open. Open it, or capture the \
             window."
        )));
    }
    let whole = Region { x: 0, y: 0, width: unsigned(width), height: unsigned(height) };
    let region = region.unwrap_or(whole);
    check(region, whole)?;
    if image.is_compressed() {
        image.decompress();
    }
    image.convert(Format::RGB8);
    if region != whole {
        let (position, size) = (
            Vector2i::new(signed(region.x), signed(region.y)),
            Vector2i::new(signed(region.width), signed(region.height)),
        );
        image = image.get_region(Rect2i::new(position, size)).ok_or_else(unreadable)?;
    }
    let blank = is_blank(&image);
    shrink(&mut image, max_size);
    let (width, height) = (unsigned(image.get_width()), unsigned(image.get_height()));
    let png = encode(width, height, image.get_data().as_slice()).map_err(|_| unreadable())?;
    Ok(Picture {
        capture_id: String::new(),
        what,
        width,
        height,
        region,
        blank: blank.is_some(),
        hint: blank.map(|colour| {
            format!(
                "All of it has the one colour #{colour}: nothing was drawn yet, or nothing is there. \
                 Wait a moment and capture again, or look at what is in the scene."
            )
        }),
        frame: None,
        png_base64: Marshalls::singleton().raw_to_base64(&PackedByteArray::from(png)).to_string(),
    })
}

/// A PNG of pixels of three bytes. The engine would make it too, somewhat smaller, but hold up the game for
/// more than a frame.
fn encode(width: u32, height: u32, pixels: &[u8]) -> Result<Vec<u8>, png::EncodingError> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    // It holds up the game, so a file half as large again is well worth a sixth of the time.
    encoder.set_compression(png::Compression::Fastest);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(file)
}

fn check(region: Region, whole: Region) -> Result<(), Fault> {
    let fits = |at: u32, length: u32, limit: u32| {
        length > 0 && at.checked_add(length).is_some_and(|end| end <= limit)
    };
    if fits(region.x, region.width, whole.width) && fits(region.y, region.height, whole.height) {
        return Ok(());
    }
    Err(Fault::invalid(format!(
        "The region does not lie within the picture, which has {} × {} pixels.",
        whole.width, whole.height
    ))
    .requiring(Required::parameter("region")))
}

/// The colour that all pixels have, if they have one.
fn is_blank(image: &Gd<Image>) -> Option<String> {
    let data = image.get_data();
    let mut pixels = data.as_slice().chunks_exact(3);
    let first = pixels.next()?;
    let colour = || first.iter().map(|channel| format!("{channel:02x}")).collect();
    pixels.all(|pixel| pixel == first).then(colour)
}

fn shrink(image: &mut Gd<Image>, max_size: Pixels) {
    let (width, height) = (i64::from(image.get_width()), i64::from(image.get_height()));
    let (longest, limit) = (width.max(height), max_size.get());
    if limit == 0 || longest <= limit {
        return;
    }
    let scaled = |side: i64| i32::try_from((side * limit / longest).max(1)).unwrap_or(1);
    let resize = image.resize_ex(scaled(width), scaled(height));
    resize.interpolation(Interpolation::LANCZOS).done();
}

fn unreadable() -> Fault {
    Fault::internal("What was drawn could not be read.")
}

fn unsigned(number: i32) -> u32 {
    u32::try_from(number).unwrap_or_default()
}

fn signed(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}
