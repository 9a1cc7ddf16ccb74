//! The parts that carom's pages share: the renderer, the charts and the look. A page is one file,
//! so these are texts that it contains. `player.rs` and `live_page.rs` of carom-cli write pages.

/// Script: `makeRenderer(canvas)` draws bodies, sheets, particles and lines with WebGL 2, or
/// without it on a plain canvas.
pub const RENDERER: &str = concat!(
    include_str!("page/geometry.js"),
    include_str!("page/shaders.js"),
    include_str!("page/camera.js"),
    include_str!("page/gl.js"),
    include_str!("page/raster.js"),
    include_str!("page/flat.js"),
    include_str!("page/renderer.js"),
    include_str!("page/quality.js")
);

/// Script: `drawChart` draws lines over frames; `shown` and `brief` write numbers.
pub const CHARTS: &str = include_str!("page/charts.js");

/// Style sheet: colours, dark and light, and the parts that all pages have.
pub const STYLE: &str = include_str!("page/page.css");
