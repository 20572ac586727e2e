//! The origins: which names they have, how they are listed and opened.

use crate::bucket::{self, Bucket, Kind, Store, version_of};
use crate::failure::Failure;
use crate::fetch::{Place, repeat};
use crate::object::Object;
use crate::reply::Version;
use crate::stream::Body;
use crate::upload::Parts;
use crate::{Shared, web};
use doiscan_input::problem::{Problem, ProblemCode};
use doiscan_input::{Identity, InputKind, Origin, Source, Unit, Upload};
use futures_util::StreamExt;
use object_store::path::Path as Key;
use reqwest::{Client, Url};
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Returns all origins.
pub(crate) fn all(shared: &Arc<Shared>) -> Vec<Box<dyn Origin>> {
    let known: Arc<Mutex<HashMap<PathBuf, Known>>> = Arc::default();
    let store = |prefix, kind| {
        let (shared, stores) = (Arc::clone(shared), Mutex::default());
        Box::new(Stores { prefix, kind, shared, stores, known: Arc::clone(&known) })
            as Box<dyn Origin>
    };
    let web = |prefix| {
        let (shared, client) = (Arc::clone(shared), OnceLock::new());
        Box::new(Web { prefix, shared, client, known: Arc::clone(&known) }) as Box<dyn Origin>
    };
    vec![
        store("s3://", Kind::S3),
        store("gs://", Kind::Google),
        store("az://", Kind::Azure),
        web("http://"),
        web("https://"),
    ]
}

/// What was learned of an input when it was listed.
#[derive(Clone, Debug)]
struct Known {
    place: Place,
    version: Version,
    has_ranges: bool,
}

type Inputs = Arc<Mutex<HashMap<PathBuf, Known>>>;

/// Lists an input, and keeps what is known of it until it is opened.
fn listed(inputs: &Inputs, path: PathBuf, known: Known, is_found: bool) -> Unit {
    let size = known.version.size.filter(|_| known.has_ranges);
    let kind = if size.is_some() { InputKind::File { remote: true } } else { InputKind::Stream };
    let unit = Unit {
        identity: identity(&path, &known.version),
        path: path.clone(),
        size: size.unwrap_or_default(),
        kind,
        is_found,
    };
    inputs.lock().unwrap_or_else(PoisonError::into_inner).insert(path, known);
    unit
}

/// Returns what tells a version from others. Without a tag or a time it is `None`.
fn identity(path: &Path, version: &Version) -> Option<Identity> {
    let told = [version.tag.as_deref(), version.modified.as_deref()];
    let told = told.map(Option::unwrap_or_default).join("\n");
    let size = version.size.unwrap_or_default();
    version.is_known().then(|| Identity::of_version(path, size, told.as_bytes()))
}

/// Opens an input that was listed.
fn opened(shared: &Arc<Shared>, inputs: &Inputs, unit: &Unit) -> Result<Arc<dyn Source>, Problem> {
    let path = &unit.path;
    let known = inputs.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned();
    let Known { place, version, has_ranges } =
        known.ok_or_else(|| Failure::lasting("was not listed").problem(path))?;
    let identity = identity(path, &version);
    Ok(match version.size.filter(|_| has_ranges) {
        Some(size) => Arc::new(Object::new(path, place, (version, size), identity, shared)),
        None => Arc::new(Body::new(path, place, version, identity, shared)),
    })
}

/// The buckets of one kind of store.
#[derive(Debug)]
struct Stores {
    prefix: &'static str,
    kind: Kind,
    shared: Arc<Shared>,
    stores: Mutex<HashMap<String, Arc<dyn Store>>>,
    known: Inputs,
}

impl Stores {
    /// Returns the store of a bucket, opened once.
    fn store(&self, bucket: &str) -> Result<Arc<dyn Store>, Failure> {
        let runtime = self.shared.runtime()?;
        let mut stores = self.stores.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(store) = stores.get(bucket) {
            return Ok(Arc::clone(store));
        }
        let settings = &self.shared.settings;
        let open = repeat(settings.retry_for, || bucket::store(self.kind, bucket, settings));
        let store = runtime.block_on(open)?;
        stores.insert(bucket.to_owned(), Arc::clone(&store));
        Ok(store)
    }

    /// Returns the object of a name after the prefix, and its bucket.
    fn object<'a>(&self, name: &'a str) -> Result<(&'a str, Bucket), Failure> {
        let (bucket, key) = name.split_once('/').unwrap_or((name, ""));
        if bucket.is_empty() {
            let expected = format!("expected {}BUCKET/KEY", self.prefix);
            return Err(Failure::lasting(expected).of(ProblemCode::NotFound));
        }
        let path = Key::parse(key.trim_end_matches('/'));
        let key = path.map_err(|error| Failure::lasting(format!("is no key: {error}")))?;
        Ok((bucket, Bucket { store: self.store(bucket)?, key }))
    }

    /// Begins to write the object `name` of `len` bytes.
    fn begin(&self, name: &str, len: u64) -> Result<Parts, Failure> {
        if !name.split_once('/').is_some_and(|(_, key)| !key.is_empty() && !key.ends_with('/')) {
            return Err(Failure::lasting(format!("expected {}BUCKET/KEY", self.prefix)));
        }
        let (_, object) = self.object(name)?;
        Parts::begin(object, self.kind, len, &self.shared)
    }

    /// Passes the object `name`, or all objects below the folder `name`, to `found`.
    fn list(&self, name: &str, found: &mut dyn FnMut(Unit)) -> Result<(), Failure> {
        let (bucket, object) = self.object(name)?;
        let (store, path) = (Arc::clone(&object.store), object.key.clone());
        let is_folder = path.as_ref().is_empty() || name.ends_with('/');
        let mut none =
            Failure::lasting("has no objects with this prefix").of(ProblemCode::NotFound);
        if !is_folder {
            let runtime = self.shared.runtime()?;
            match runtime.block_on(repeat(self.shared.settings.retry_for, || object.head())) {
                Ok(version) => {
                    let known = Known { place: Place::Bucket(object), version, has_ranges: true };
                    let unit = PathBuf::from(format!("{}{name}", self.prefix));
                    found(listed(&self.known, unit, known, false));
                    return Ok(());
                }
                // It may be a folder.
                Err(failure) if failure.code == ProblemCode::NotFound => none = failure,
                Err(failure) => return Err(failure),
            }
        }
        match self.below(&store, bucket, &path, found)? {
            0 => Err(none),
            _ => Ok(()),
        }
    }

    /// Lists the objects below `folder`. Returns their number. A listing that fails is begun again, and
    /// nothing is passed on before it is complete: half of a folder is no folder.
    fn below(
        &self,
        store: &Arc<dyn Store>,
        bucket: &str,
        folder: &Key,
        found: &mut dyn FnMut(Unit),
    ) -> Result<usize, Failure> {
        let runtime = self.shared.runtime()?;
        let all = runtime.block_on(repeat(self.shared.settings.retry_for, || async {
            let mut listing = store.list((!folder.as_ref().is_empty()).then_some(folder));
            let mut all = Vec::new();
            while let Some(meta) = listing.next().await {
                all.push(meta.map_err(bucket::failed)?);
            }
            Ok(all)
        }))?;
        // Consoles create empty objects as folders.
        let objects = all
            .into_iter()
            .filter(|meta| !(meta.size == 0 && meta.location.as_ref().ends_with('/')));
        let mut number = 0;
        for meta in objects {
            let path = PathBuf::from(format!("{}{bucket}/{}", self.prefix, meta.location));
            let version = version_of(&meta);
            let place = Place::Bucket(Bucket { store: Arc::clone(store), key: meta.location });
            let known = Known { place, version, has_ranges: true };
            found(listed(&self.known, path, known, true));
            number += 1;
        }
        Ok(number)
    }
}

impl Origin for Stores {
    fn prefix(&self) -> &'static str {
        self.prefix
    }

    fn ahead(&self) -> usize {
        self.shared.settings.memory
    }

    fn list(&self, name: &Path, found: &mut dyn FnMut(Unit)) -> Result<(), Problem> {
        let key = name.to_str().and_then(|text| text.strip_prefix(self.prefix));
        let key = key.ok_or_else(|| Failure::lasting("is not UTF-8").problem(name))?;
        self.list(key, found).map_err(|failure| failure.problem(name))
    }

    fn open(&self, unit: &Unit) -> Result<Arc<dyn Source>, Problem> {
        opened(&self.shared, &self.known, unit)
    }

    fn upload(&self, name: &Path, len: u64) -> io::Result<Box<dyn Upload>> {
        let key = name.to_str().and_then(|text| text.strip_prefix(self.prefix));
        let key = key.ok_or_else(|| Failure::lasting("is not UTF-8").error())?;
        let parts = self.begin(key, len).map_err(|failure| failure.error())?;
        Ok(Box::new(parts))
    }
}

/// The files of web servers.
#[derive(Debug)]
struct Web {
    prefix: &'static str,
    shared: Arc<Shared>,
    client: OnceLock<Result<Client, Failure>>,
    known: Inputs,
}

/// Parameters of addresses that give access to whoever knows them.
const SECRETS: [&str; 7] =
    ["X-Amz-Signature", "X-Goog-Signature", "Signature", "sig", "token", "access_token", "api_key"];

impl Web {
    fn client(&self) -> Result<Client, Failure> {
        self.shared.runtime()?;
        self.client.get_or_init(|| web::client(&self.shared.settings)).clone()
    }

    /// Asks for the first byte. The reply says the size, the version, and whether the server knows ranges.
    fn probe(&self, name: &Path) -> Result<Known, Failure> {
        let url = name.to_str().and_then(|text| Url::parse(text).ok());
        let url = url.ok_or_else(|| Failure::lasting("is no address"))?;
        let is_secret = |key: &str| SECRETS.iter().any(|secret| key.eq_ignore_ascii_case(secret));
        if url.password().is_some() || url.query_pairs().any(|(key, _)| is_secret(&key)) {
            return Err(Failure::lasting(
                "holds a password or a signature, which would be written to hits and records; \
                 pipe it: curl … | doiscan scan -",
            ));
        }
        let page = Place::Page(web::Page { client: self.client()?, url });
        let runtime = self.shared.runtime()?;
        let version = Version::default();
        let reply = repeat(self.shared.settings.retry_for, || page.get(Some(0..1), &version));
        let reply = runtime.block_on(reply)?;
        let has_ranges = reply.range.is_some() || reply.version.size == Some(0);
        Ok(Known { place: page, version: reply.version, has_ranges })
    }
}

impl Origin for Web {
    fn prefix(&self) -> &'static str {
        self.prefix
    }

    fn ahead(&self) -> usize {
        self.shared.settings.memory
    }

    fn list(&self, name: &Path, found: &mut dyn FnMut(Unit)) -> Result<(), Problem> {
        let known = self.probe(name).map_err(|failure| failure.problem(name))?;
        found(listed(&self.known, name.to_path_buf(), known, false));
        Ok(())
    }

    fn open(&self, unit: &Unit) -> Result<Arc<dyn Source>, Problem> {
        opened(&self.shared, &self.known, unit)
    }
}
