//! How an enum of the C headers becomes one here.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

/// Declares an enum with the numbers of the C one. Numbers that this version does not know are `None`, never undefined
/// behaviour: the library may be newer than the crate.
macro_rules! c_enum {
    ($(#[$about:meta])* pub enum $name:ident: $raw:ident { $($(#[$note:meta])* $variant:ident = $number:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$note])* $variant = $number,)*
        }

        impl $name {
            /// Every one that this version knows.
            pub const ALL: &'static [$name] = &[$($name::$variant),*];

            /// The number of the C interface.
            pub fn as_raw(self) -> $raw {
                self as $raw
            }

            /// The one with this number, if this version knows it.
            pub fn from_raw(number: $raw) -> Option<Self> {
                match number {
                    $($number => Some($name::$variant),)*
                    _ => None,
                }
            }
        }
    };
}
pub(crate) use c_enum;
