//! Collects the absolute form of every path in a source file, and the names that its imports
//! define.

use proc_macro2::{Spacing, TokenStream, TokenTree};
use std::collections::HashMap;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemExternCrate, ItemMod, ItemUse, Macro, UseTree, VisRestricted};

/// A path that a file uses.
#[derive(Clone, Debug)]
pub(super) struct Use {
    pub(super) line: usize,
    /// Starts with `crate` if the source says `crate`, `self` or `super`. `unsafe` and macros such
    /// as `println!` are paths of one part.
    pub(super) path: Vec<String>,
    /// Whether it is a `pub use`, which makes a name public but does not depend on its content.
    pub(super) is_reexport: bool,
    /// Whether it is part of a unit test.
    pub(super) is_test: bool,
}

/// The paths of one file.
#[derive(Debug, Default)]
pub(super) struct Paths {
    pub(super) uses: Vec<Use>,
    /// The names that imports define in the file, and the paths they refer to.
    pub(super) names: HashMap<String, Vec<String>>,
}

/// Parses the file of `module`.
pub(super) fn paths_of(module: &[String], source: &str) -> Paths {
    let is_test = module.last().is_some_and(|name| name == "tests");
    let mut finder = Finder {
        module: module.to_vec(),
        is_test,
        is_reexport: false,
        is_import: false,
        paths: Paths::default(),
    };
    finder.visit_file(&syn::parse_file(source).expect("Rust source"));
    finder.find_unsafe(source.parse().expect("tokens"));
    finder.paths.uses.sort_by_key(|found| found.line);
    finder.paths
}

struct Finder {
    /// The file's module and the inline modules around the current position.
    module: Vec<String>,
    is_test: bool,
    is_reexport: bool,
    is_import: bool,
    paths: Paths,
}

impl Finder {
    fn add(&mut self, line: usize, path: Vec<String>) {
        let Finder { is_reexport, is_test, .. } = *self;
        let path = self.absolute(path);
        self.paths.uses.push(Use { line, path, is_reexport, is_test });
    }

    fn absolute(&self, path: Vec<String>) -> Vec<String> {
        let mut base = self.module.clone();
        let mut is_relative = false;
        let mut parts = path.iter().peekable();
        while let Some(part) = parts.next_if(|p| matches!(p.as_str(), "self" | "super")) {
            is_relative = true;
            if part == "super" {
                base.pop();
            }
        }
        match is_relative {
            true => ["crate".to_owned()].into_iter().chain(base).chain(parts.cloned()).collect(),
            false => path,
        }
    }

    /// Adds each path of an import tree: `a::{b, c::*}` is `a::b` and `a::c::*`.
    fn tree(&mut self, mut path: Vec<String>, tree: &UseTree) {
        match tree {
            UseTree::Path(branch) => {
                path.push(branch.ident.to_string());
                self.tree(path, &branch.tree);
            }
            UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.tree(path.clone(), tree));
            }
            UseTree::Name(leaf) => self.leaf(path, &leaf.ident, &leaf.ident),
            UseTree::Rename(leaf) => self.leaf(path, &leaf.ident, &leaf.rename),
            UseTree::Glob(star) => {
                path.push("*".to_owned());
                self.add(star.span().start().line, path);
            }
        }
    }

    fn leaf(&mut self, mut path: Vec<String>, ident: &syn::Ident, name: &syn::Ident) {
        if ident != "self" || path.is_empty() {
            path.push(ident.to_string());
        }
        let local = if name == "self" { path[path.len() - 1].clone() } else { name.to_string() };
        if self.is_import {
            self.paths.names.insert(local, self.absolute(path.clone()));
        }
        self.add(ident.span().start().line, path);
    }

    /// Finds paths in the arguments of a macro, which need not be Rust.
    fn find_in_tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            let end = path_end(&tokens, at);
            if let TokenTree::Group(group) = &tokens[at] {
                self.find_in_tokens(group.stream());
            }
            let is_macro = |token: &TokenTree| matches!(token, TokenTree::Punct(p) if p.as_char() == '!' && p.spacing() == Spacing::Alone);
            let path = syn::parse2::<UseTree>(tokens[at..end].iter().cloned().collect());
            match path {
                Ok(_) if tokens.get(end).is_some_and(is_macro) => {
                    self.macro_name(&tokens[end - 1].to_string(), tokens[at].span().start().line);
                }
                Ok(tree) if end - at > 1 => self.tree(Vec::new(), &tree),
                _ => {}
            }
            at = end;
        }
    }

    fn macro_name(&mut self, name: &str, line: usize) {
        self.add(line, vec![format!("{name}!")]);
    }

    fn find_unsafe(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => self.find_unsafe(group.stream()),
                TokenTree::Ident(word) if word == "unsafe" => {
                    self.add(word.span().start().line, vec!["unsafe".to_owned()]);
                }
                _ => {}
            }
        }
    }
}

/// Returns the end of the path that begins at `at`: names, a star or a group, joined by `::`.
fn path_end(tokens: &[TokenTree], at: usize) -> usize {
    let is_colon =
        |i: usize| matches!(tokens.get(i), Some(TokenTree::Punct(p)) if p.as_char() == ':');
    let mut end = at + 1;
    while matches!(tokens[end - 1], TokenTree::Ident(_)) && is_colon(end) && is_colon(end + 1) {
        match tokens.get(end + 2) {
            Some(TokenTree::Punct(p)) if p.as_char() != '*' => break,
            None => break,
            Some(_) => end += 3,
        }
    }
    end
}

fn is_cfg_test(attribute: &Attribute) -> bool {
    let is_test = |t: TokenTree| {
        t.to_string().split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "test")
    };
    attribute.path().is_ident("cfg")
        && attribute
            .meta
            .require_list()
            .is_ok_and(|list| list.tokens.clone().into_iter().any(is_test))
}

impl<'a> Visit<'a> for Finder {
    fn visit_item(&mut self, item: &'a Item) {
        let attributes: &[Attribute] = match item {
            Item::Mod(item) => &item.attrs,
            Item::Use(item) => &item.attrs,
            Item::Fn(item) => &item.attrs,
            Item::Impl(item) => &item.attrs,
            _ => &[],
        };
        let was_test = self.is_test;
        self.is_test |= attributes.iter().any(is_cfg_test);
        visit::visit_item(self, item);
        self.is_test = was_test;
    }

    fn visit_item_mod(&mut self, item: &'a ItemMod) {
        let was_test = self.is_test;
        self.is_test |= item.content.is_some() && item.ident == "tests";
        self.module.push(item.ident.to_string());
        visit::visit_item_mod(self, item);
        self.module.pop();
        self.is_test = was_test;
    }

    fn visit_item_use(&mut self, item: &'a ItemUse) {
        self.is_import = true;
        self.is_reexport = !matches!(item.vis, syn::Visibility::Inherited);
        visit::visit_visibility(self, &item.vis);
        self.tree(Vec::new(), &item.tree);
        (self.is_import, self.is_reexport) = (false, false);
    }

    fn visit_item_extern_crate(&mut self, item: &'a ItemExternCrate) {
        self.add(item.ident.span().start().line, vec![format!("extern crate {}", item.ident)]);
    }

    fn visit_vis_restricted(&mut self, visibility: &'a VisRestricted) {
        if visibility.in_token.is_some() {
            self.visit_path(&visibility.path);
        }
    }

    fn visit_attribute(&mut self, attribute: &'a Attribute) {
        if attribute.path().is_ident("path") {
            self.add(attribute.span().start().line, vec!["#[path]".to_owned()]);
        }
    }

    fn visit_macro(&mut self, call: &'a Macro) {
        let line = call.span().start().line;
        if let Some(last) = call.path.segments.last() {
            self.macro_name(&last.ident.to_string(), line);
        }
        self.visit_path(&call.path);
        self.find_in_tokens(call.tokens.clone());
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
        if names.len() > 1 {
            self.add(path.span().start().line, names);
        }
        visit::visit_path(self, path);
    }
}
