//! Enums whose values have stable names.

/// Defines an enum from its variants and their names, which reports and statistics use.
#[doc(hidden)]
#[macro_export]
macro_rules! named {
    (
        $(#[$about:meta])* pub enum $type:ident {
            $($(#[$doc:meta])* $variant:ident = $name:literal,)+
        }
    ) => {
        $(#[$about])*
        pub enum $type {
            $($(#[$doc])* $variant,)+
        }

        impl $type {
            /// All values, in order.
            pub const ALL: [$type; [$($name),+].len()] = [$($type::$variant),+];

            /// Returns the stable name.
            pub const fn name(self) -> &'static str {
                match self {
                    $($type::$variant => $name,)+
                }
            }
        }

        impl core::fmt::Display for $type {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}
