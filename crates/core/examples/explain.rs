use doiscan_core::names;
fn main() {
    let model = names::built_in().unwrap();
    let mut args = std::env::args().skip(1);
    let reg = args.next().unwrap();
    let text = args.next().unwrap();
    println!("knows {}", model.knows(reg.as_bytes()));
    let w = model.walk(reg.as_bytes(), text.as_bytes());
    for at in 0..=text.len() {
        let p = w.place(at);
        println!(
            "{:>30} path {:7.2} end {:.4} passing {:8.1} ending {:8.1} lost {:.1}",
            &text[..at],
            p.path,
            p.end,
            p.passing,
            p.ending,
            p.lost
        );
    }
}
