//! Lines of text in a picture: turned rectangles, made of the map of a detector, and what the picture shows in them.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use crate::picture::Picture;

const LETTERS: f32 = 0.3; // what the map says of a pixel that belongs to a line
const SURE: f64 = 0.5; // what it says in the mean of a rectangle that is one
const AROUND: f64 = 1.6; // the map has the middles of lines alone: so much is added on all sides, times area by perimeter
const THIN: f64 = 3.0; // rectangles of fewer pixels are none

type Point = (f64, f64);

/// A rectangle. Letters stand upright in it, or on their head.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    centre: Point,
    along: Point, // the direction of the line, of length 1
    half: Point,  // half of its length, and of its height
    /// What the map says of it in the mean.
    pub score: f64,
}

impl Line {
    /// All of a picture.
    pub fn whole(picture: &Picture) -> Line {
        let half = (picture.width as f64 / 2.0, picture.height as f64 / 2.0);
        Line { centre: half, along: (1.0, 0.0), half, score: 1.0 }
    }

    /// How wide it is, as a multiple of its height.
    pub fn ratio(&self) -> f64 {
        self.half.0 / self.half.1
    }

    /// Where a place of the rectangle is in the picture: from -1 to 1 along the line, and from its top to its bottom.
    fn place(&self, (u, v): Point) -> Point {
        let (x, y) = (u * self.half.0, v * self.half.1);
        (self.centre.0 + x * self.along.0 - y * self.along.1, self.centre.1 + x * self.along.1 + y * self.along.0)
    }

    pub fn corners(&self) -> [Point; 4] {
        [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|corner| self.place(corner))
    }

    fn scaled(mut self, factor: f64) -> Line {
        for each in [&mut self.centre, &mut self.half] {
            *each = (each.0 * factor, each.1 * factor);
        }
        self
    }

    /// Draws it upright, `turned` by half a turn, into the upper left corner of three planes with rows of `row` numbers from -1
    /// to 1: blue, green and red. Each pixel is the mean of samples that are no further apart than the picture's pixels.
    pub fn draw(
        &self,
        picture: &Picture,
        turned: bool,
        (width, height): (usize, usize),
        row: usize,
        planes: &mut [f32],
    ) {
        let plane = planes.len() / 3;
        let across = (2.0 * self.half.0 / width as f64).max(2.0 * self.half.1 / height as f64);
        let samples = (across.ceil() as usize).max(1);
        let sign = if turned { -1.0 } else { 1.0 };
        let share = |i: usize, k: usize, size: usize| {
            sign * (2.0 * (i as f64 + (k as f64 + 0.5) / samples as f64) / size as f64 - 1.0)
        };
        for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
            let mut sum = [0.0; 3];
            for (v, u) in (0..samples).flat_map(|v| (0..samples).map(move |u| (v, u))) {
                let colours = colours_at(picture, self.place((share(x, u, width), share(y, v, height))));
                sum.iter_mut().zip(colours).for_each(|(sum, colour)| *sum += colour);
            }
            for (c, each) in sum.iter().rev().enumerate() {
                planes[c * plane + y * row + x] = (each / (samples * samples) as f64 / 127.5 - 1.0) as f32;
            }
        }
    }
}

/// The colours at a place of a picture, between the middles of pixels: of four, by how near they are.
fn colours_at(picture: &Picture, (x, y): Point) -> [f64; 3] {
    let split = |at: f64, size: usize| {
        let at = (at - 0.5).clamp(0.0, (size - 1) as f64);
        (at as usize, (at as usize + 1).min(size - 1), at.fract())
    };
    let ((left, right, x), (top, bottom, y)) = (split(x, picture.width), split(y, picture.height));
    let pixel = |row: usize, column: usize, c: usize| f64::from(picture.rgb[3 * (row * picture.width + column) + c]);
    [0, 1, 2].map(|c| {
        let upper = pixel(top, left, c) * (1.0 - x) + pixel(top, right, c) * x;
        let lower = pixel(bottom, left, c) * (1.0 - x) + pixel(bottom, right, c) * x;
        upper * (1.0 - y) + lower * y
    })
}

/// The lines of a map of `width` numbers a row, from top to bottom, and from left to right where they are of one height. Places
/// are multiplied by `factor`.
pub fn find(map: &[f32], width: usize, factor: f64) -> Vec<Line> {
    let mut seen: Vec<bool> = map.iter().map(|&each| each.is_nan() || each <= LETTERS).collect();
    let mut found = Vec::new();
    for start in 0..map.len() {
        if seen[start] {
            continue;
        }
        let smallest = smallest_around(&hull(edges(&mut seen, width, start)));
        let mut line = Line { score: mean_of(map, width, &smallest), ..smallest };
        if 2.0 * line.half.0.min(line.half.1) >= THIN && line.score >= SURE {
            let more = AROUND * line.half.0 * line.half.1 / (line.half.0 + line.half.1);
            line.half = (line.half.0 + more, line.half.1 + more);
            found.push(line.scaled(factor));
        }
    }
    ordered(found)
}

/// Corners of the first and the last pixel, in each row, of all pixels that hang together with this one; they count as seen then.
fn edges(seen: &mut [bool], width: usize, start: usize) -> Vec<Point> {
    let height = seen.len() / width;
    let mut rows = std::collections::BTreeMap::new();
    let mut next = vec![start];
    seen[start] = true;
    while let Some(at) = next.pop() {
        let (y, x) = (at / width, at % width);
        let row = rows.entry(y).or_insert((x, x));
        *row = (row.0.min(x), row.1.max(x));
        for v in y.saturating_sub(1)..=(y + 1).min(height - 1) {
            for u in x.saturating_sub(1)..=(x + 1).min(width - 1) {
                if !std::mem::replace(&mut seen[v * width + u], true) {
                    next.push(v * width + u);
                }
            }
        }
    }
    let corners = |(y, (first, last)): (usize, (usize, usize))| {
        [(first, y), (first, y + 1), (last + 1, y), (last + 1, y + 1)].map(|(x, y)| (x as f64, y as f64))
    };
    rows.into_iter().flat_map(corners).collect()
}

/// The corners of the convex hull, in order.
fn hull(mut points: Vec<Point>) -> Vec<Point> {
    points.sort_by(|a, b| a.partial_cmp(b).expect("places are numbers"));
    points.dedup();
    let mut hull: Vec<Point> = Vec::new();
    for pass in 0..2 {
        let bottom = hull.len() + 1;
        for &p in &points {
            while hull.len() > bottom {
                let (a, b) = (hull[hull.len() - 2], hull[hull.len() - 1]);
                if (b.0 - a.0) * (p.1 - a.1) - (b.1 - a.1) * (p.0 - a.0) > 0.0 {
                    break;
                }
                hull.pop();
            }
            hull.push(p);
        }
        hull.pop(); // the next pass begins with it
        if pass == 0 {
            points.reverse();
        }
    }
    hull
}

/// The smallest rectangle around a hull; one of its sides lies along a side of the hull. A line that is clearly longer than
/// high goes along its longer side, any other one rather from left to right than down.
fn smallest_around(hull: &[Point]) -> Line {
    let sides = hull.iter().zip(hull.iter().cycle().skip(1));
    let around = sides.map(|(a, b)| {
        let length = (b.0 - a.0).hypot(b.1 - a.1);
        let along = ((b.0 - a.0) / length, (b.1 - a.1) / length);
        let span = |axis: Point| {
            let places = hull.iter().map(|p| p.0 * axis.0 + p.1 * axis.1);
            places.fold((f64::MAX, f64::MIN), |(least, most), each| (least.min(each), most.max(each)))
        };
        let (u, v) = (span(along), span((-along.1, along.0)));
        let middle = ((u.0 + u.1) / 2.0, (v.0 + v.1) / 2.0);
        let centre = (middle.0 * along.0 - middle.1 * along.1, middle.0 * along.1 + middle.1 * along.0);
        Line { centre, along, half: ((u.1 - u.0) / 2.0, (v.1 - v.0) / 2.0), score: 0.0 }
    });
    let area = |line: &Line| line.half.0 * line.half.1;
    let smallest = around.min_by(|a, b| area(a).total_cmp(&area(b))).expect("a hull has at least four corners");
    let Line { mut along, mut half, .. } = smallest;
    let is_long = half.0.max(half.1) >= 1.5 * half.0.min(half.1);
    if if is_long { half.0 < half.1 } else { along.0.abs() < along.1.abs() } {
        along = (-along.1, along.0);
        half = (half.1, half.0);
    }
    if if along.0.abs() >= along.1.abs() { along.0 < 0.0 } else { along.1 < 0.0 } {
        along = (-along.0, -along.1);
    }
    Line { along, half, ..smallest }
}

/// The mean of the numbers of a map whose middles are in a rectangle.
fn mean_of(map: &[f32], width: usize, line: &Line) -> f64 {
    let corners = line.corners();
    let span = |of: fn(&Point) -> f64, size: usize| {
        let least = corners.iter().map(of).fold(f64::MAX, f64::min).max(0.0) as usize;
        let most = corners.iter().map(of).fold(0.0, f64::max).ceil() as usize;
        least..most.min(size)
    };
    let (rows, columns) = (span(|p| p.1, map.len() / width), span(|p| p.0, width));
    let (mut sum, mut count) = (0.0, 0);
    for (y, x) in rows.flat_map(|y| columns.clone().map(move |x| (y, x))) {
        let (dx, dy) = (x as f64 + 0.5 - line.centre.0, y as f64 + 0.5 - line.centre.1);
        let (u, v) = (dx * line.along.0 + dy * line.along.1, dy * line.along.0 - dx * line.along.1);
        if u.abs() <= line.half.0 && v.abs() <= line.half.1 {
            sum += f64::from(map[y * width + x]);
            count += 1;
        }
    }
    sum / f64::from(count.max(1))
}

/// A line whose middle is as high as the first of a row, within half of a line, belongs to that row.
fn ordered(mut lines: Vec<Line>) -> Vec<Line> {
    lines.sort_by(|a, b| a.centre.1.total_cmp(&b.centre.1));
    let mut rows: Vec<Vec<Line>> = Vec::new();
    for line in lines {
        match rows.last_mut() {
            Some(row) if line.centre.1 - row[0].centre.1 < line.half.1.min(row[0].half.1) => row.push(line),
            _ => rows.push(vec![line]),
        }
    }
    rows.iter_mut().for_each(|row| row.sort_by(|a, b| a.centre.0.total_cmp(&b.centre.0)));
    rows.concat()
}
