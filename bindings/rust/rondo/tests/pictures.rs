//! The reader of PPM pictures that examples have.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#[path = "../examples/common/picture.rs"]
mod picture;

use picture::Picture;

const PIXELS: [u8; 12] = [10, 32, 13, 9, 35, 50, 0, 255, 10, 10, 49, 35]; // as whitespace, digits and # are

fn read(name: &str, header: &[u8], pixels: &[u8]) -> Result<Picture, String> {
    let path = std::env::temp_dir().join(format!("rondo-picture-{}-{}.ppm", std::process::id(), name));
    std::fs::write(&path, [header, pixels].concat()).unwrap();
    let picture = Picture::read(path.to_str().unwrap()).map_err(|problem| problem.to_string());
    std::fs::remove_file(path).unwrap();
    picture
}

#[test]
fn pixels_begin_behind_one_whitespace_byte() {
    let headers: [&[u8]; 7] = [
        b"P6\n2 2\n255\n",
        b"P6 2 2 255 ",
        b"P6\t2\r\n2 255\t",
        b"P6\n# a 9 in a comment\n2 # another\n\n2\n#\n255\r",
        b"P6\n2\n2\n255 ",
        b"P6 # 1\n  02 2\n00255\n",
        b"P6#1\n2#width\n2# height\n255 ",
    ];
    for header in headers {
        let picture = read("good", header, &PIXELS).unwrap();
        assert_eq!((picture.width, picture.height, &picture.rgb[..]), (2, 2, &PIXELS[..]), "{:?}", header);
    }
    // What follows the pixels is another picture's.
    assert_eq!(read("more", b"P6 2 1 255\n", &PIXELS).unwrap().rgb, PIXELS[..6]);
}

#[test]
fn what_is_no_picture_is_refused() {
    let headers: [&[u8]; 14] = [
        b"",
        b"P6",
        b"P5 2 2 255 ",
        b"P6 2 2 255",
        b"P6 2 2 65535 ",
        b"P6 2 2 254\n",
        b"P6 0 2 255 ",
        b"P6 2 3 255 ",
        b"P6 2 32769 255 ",
        b"P6 -2 2 255 ",
        b"P6 2 99999999999999999999 255 ",
        b"P6 2 2 # no end",
        b"P62 2 255 ",
        b"P6 2 2 255# a comment\n",
    ];
    for header in headers {
        let problem = read("bad", header, if header.ends_with(b"255") { &[] } else { &PIXELS }).err();
        assert!(problem.as_ref().map_or(false, |text| text.contains("no PPM picture")), "{:?}: {:?}", header, problem);
    }
}
