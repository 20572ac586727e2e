//! Properties that hold for every identifier.

use super::*;
use proptest::prelude::*;

/// Every form, and every encoding of the binary forms.
fn ways() -> Vec<(EidrForm, Binary)> {
    let spellings = |form: EidrForm| match form.is_binary() {
        true => vec![Binary::Bytes, Binary::Hex, Binary::Base64],
        false => vec![Binary::Bytes],
    };
    EidrForm::ALL
        .into_iter()
        .flat_map(|form| spellings(form).into_iter().map(move |b| (form, b)))
        .collect()
}

/// Writes an identifier in a form, if it has that form, and reads it back.
fn comes_back(eidr: Eidr, (form, binary): (EidrForm, Binary), out: &mut Vec<u8>) {
    out.clear();
    let written = eidr.write(form, style(binary), out);
    let has_form = eidr.sub_prefix() == SubPrefix::Content
        || !matches!(form, EidrForm::Compact | EidrForm::Full | EidrForm::S);
    assert_eq!(written.is_ok(), has_form, "{eidr} as {form}");
    if !has_form {
        return;
    }
    if form.is_binary() && binary == Binary::Bytes {
        assert_eq!(Eidr::from_binary(out), Ok(eidr), "{form}");
    } else {
        assert_eq!(Eidr::recognise(out), Ok((eidr, form)), "{form}");
    }
}

/// Creates an identifier of any kind from any 128 bits. More than half are content.
fn of_bits(bits: u128) -> Eidr {
    let kinds = [SubPrefix::Content, SubPrefix::Party, SubPrefix::User, SubPrefix::Service];
    let kind = if bits & 4 == 0 { SubPrefix::Content } else { kinds[(bits & 3) as usize] };
    Eidr::new(kind, bits >> (128 - 4 * kind.digits())).unwrap()
}

/// Pseudorandom identifiers from SplitMix64, the same in each run.
fn random_ones() -> impl Iterator<Item = Eidr> {
    let mut state = 0_u64;
    let mut next = move || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        u128::from(mixed ^ (mixed >> 31))
    };
    std::iter::repeat_with(move || of_bits(next() << 64 | next()))
}

/// Tests each identifier in one form, in rotation.
#[test]
fn many_come_back() {
    let mut out = Vec::new();
    for (eidr, way) in random_ones().take(200_000).zip(ways().into_iter().cycle()) {
        comes_back(eidr, way, &mut out);
    }
}

/// Tests each identifier in every form: `cargo test --release --lib doi::eidr -- --ignored`
#[test]
#[ignore = "takes most of a minute, and needs --release"]
fn ten_million_come_back() {
    let (ways, mut out) = (ways(), Vec::new());
    for eidr in random_ones().take(10_000_000) {
        for &way in &ways {
            comes_back(eidr, way, &mut out);
        }
    }
}

proptest! {
    #[test]
    fn every_form_comes_back(bits in any::<u128>()) {
        for way in ways() {
            comes_back(of_bits(bits), way, &mut Vec::new());
        }
    }

    #[test]
    fn case_and_hyphens_do_not_matter(bits in any::<u128>()) {
        let eidr = of_bits(bits);
        let name = eidr.name();
        prop_assert_eq!(Eidr::from_name(name.to_lowercase()), Ok(eidr));
        prop_assert_eq!(Eidr::from_name(name.replace('-', "")), Ok(eidr));
        prop_assert_eq!(check_of(name.as_bytes()), Check::Valid);
        prop_assert!(crate::doi::Doi::parse(name.as_bytes()).is_ok());
        prop_assert!(crate::doi::is_folded(name.as_bytes()));
    }

    /// Identifiers, canonical names and compact forms have the same order.
    #[test]
    fn order_is_that_of_the_names(one in any::<u128>(), other in any::<u128>()) {
        let (one, other) = (of_bits(one), of_bits(other));
        prop_assert_eq!(one.cmp(&other), one.name().cmp(&other.name()));
        if let (Ok(a), Ok(b)) = (one.compact(), other.compact()) {
            prop_assert_eq!(one.cmp(&other), a.cmp(&b));
        }
    }

    /// Replacing one digit or letter is reported as a wrong check character and never read as
    /// another identifier.
    #[test]
    fn a_changed_character_is_caught(bits in any::<u128>(), at in 8..33_usize, to in 0..36_u32) {
        let eidr = Eidr::new(SubPrefix::Content, bits >> 48).unwrap();
        let mut name = eidr.name().into_bytes();
        let to = char::from_digit(to, 36).unwrap().to_ascii_uppercase() as u8;
        let at = if name[at] == b'-' { at + 1 } else { at };
        prop_assume!(name[at] != to && (at == 33 || to.is_ascii_hexdigit()));
        name[at] = to;
        prop_assert!(matches!(check_of(&name), Check::Wrong { .. }), "{}", name.escape_ascii());
    }

    #[test]
    fn any_bytes_are_read_or_refused(value in prop::collection::vec(any::<u8>(), 0..60)) {
        let is_name = Eidr::from_name(&value).is_ok();
        prop_assert_eq!(check_of(&value) == Check::Valid, is_name);
        prop_assert!(!is_name || Eidr::parse(&value).is_ok());
        if let Ok((eidr, form)) = Eidr::recognise(&value) {
            prop_assert!(EidrForm::ALL.contains(&form), "{}", eidr);
        }
    }

    /// A truncated form or one with trailing text is rejected, with an offset inside it or at its
    /// end.
    #[test]
    fn no_form_reads_in_part(bits in any::<u128>(), form in 0..11_usize, cut in 0..60_usize) {
        let mut value = Vec::new();
        prop_assume!(of_bits(bits).write(EidrForm::ALL[form], style(Binary::Hex), &mut value).is_ok());
        let cut = cut % value.len();
        prop_assert!(Eidr::parse(&value[..cut]).is_err());
        value.push(b'0');
        prop_assert!(Eidr::parse(&value).is_err());
    }
}
