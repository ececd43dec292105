//! The picture of the parallel digits example: images per second by the number of ranks, against what would be ideal.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::fmt::Write;

/// What one training left behind.
pub struct Run {
    pub ranks: usize,
    pub step_us: f64, // time per step, without the first epoch
    pub images_per_s: f64,
    pub accuracy: f64, // share of the test images that is right at the end
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 90.0;
const TOP: f64 = 90.0;
const INNER_WIDTH: f64 = 500.0;
const INNER_HEIGHT: f64 = 250.0;
const STYLE: &str =
    "text{font-family:system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif;font-size:13px;fill:#52514e}\
    .page{fill:#fcfcfb}.title{font-size:21px;font-weight:600;fill:#0b0b0b}.grid{stroke:#e4e3df}.axis{stroke:#a3a19b}\
    .ideal{fill:none;stroke:#a3a19b;stroke-width:2;stroke-dasharray:6 5}.seen{fill:none;stroke:#c2410c;stroke-width:3}\
    .dot{fill:#c2410c}\
    @media (prefers-color-scheme:dark){text{fill:#c3c2b7}.page{fill:#1a1a19}.title{fill:#fff}.grid{stroke:#33322f}\
    .axis,.ideal{stroke:#6b6a64}.seen{stroke:#f59e5b}.dot{fill:#f59e5b}}";

/// The picture of some trainings, with one rank first, as SVG.
pub fn picture(runs: &[Run]) -> String {
    let most = runs[runs.len() - 1].ranks as f64;
    let ideal = runs[0].images_per_s * most;
    let high = 1.05 * runs.iter().fold(ideal, |high, run| high.max(run.images_per_s));
    let x = |ranks: f64| LEFT + INNER_WIDTH * if runs.len() > 1 { (ranks - 1.0) / (most - 1.0) } else { 0.5 };
    let y = |value: f64| TOP + INNER_HEIGHT * (1.0 - value / high);
    let mut svg = String::new();
    let mut line = |text: std::fmt::Arguments<'_>| svg.write_fmt(text).expect("a text grows");
    line(format_args!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\">\n\
        <title>Training on several ranks</title>\n<style>{style}</style>\n\
        <rect class=\"page\" width=\"{w}\" height=\"{h}\"/>\n\
        <text class=\"title\" x=\"40\" y=\"46\">Handwritten digits, trained on several ranks</text>\n\
        <text x=\"40\" y=\"70\">images per second; dashed: as many times one rank's</text>\n",
        w = WIDTH,
        h = HEIGHT,
        style = STYLE
    ));
    for i in 0..5 {
        let (value, class) = (high * f64::from(i) / 4.0, if i == 0 { "axis" } else { "grid" });
        let (height, right) = (y(value), LEFT + INNER_WIDTH);
        line(format_args!(
            "<line class=\"{}\" x1=\"{}\" y1=\"{:.1}\" x2=\"{}\" y2=\"{:.1}\"/>\n\
            <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{:.0}</text>\n",
            class,
            LEFT,
            height,
            right,
            height,
            LEFT - 8.0,
            height + 4.5,
            value
        ));
    }
    line(format_args!(
        "<line class=\"ideal\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"/>\n<polyline class=\"seen\" points=\"",
        x(1.0),
        y(runs[0].images_per_s),
        x(most),
        y(ideal)
    ));
    for run in runs {
        line(format_args!("{:.1},{:.1} ", x(run.ranks as f64), y(run.images_per_s)));
    }
    line(format_args!("\"/>\n"));
    for run in runs {
        let (x, plural) = (x(run.ranks as f64), if run.ranks == 1 { "" } else { "s" });
        line(format_args!(
            "<circle class=\"dot\" cx=\"{x:.1}\" cy=\"{:.1}\" r=\"4.5\"/>\n\
            <text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{} rank{}</text>\n\
            <text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{:.0} \u{b5}s, {:.3} right</text>\n",
            y(run.images_per_s),
            TOP + INNER_HEIGHT + 20.0,
            run.ranks,
            plural,
            TOP + INNER_HEIGHT + 40.0,
            run.step_us,
            run.accuracy,
            x = x
        ));
    }
    line(format_args!("</svg>\n"));
    svg
}
