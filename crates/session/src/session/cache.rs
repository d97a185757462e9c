//! Values derived from the open files, computed on demand and kept as long as the session.

use std::any::Any;
use std::sync::OnceLock;

/// One value of each type that was asked for.
#[derive(Debug, Default)]
pub struct Cache {
    first: OnceLock<Box<Entry>>,
}

#[derive(Debug)]
struct Entry {
    value: Box<dyn Any + Send + Sync>,
    next: OnceLock<Box<Self>>,
}

impl Cache {
    /// The value of type `T`, which is made by [`Default`] when it is first asked for.
    ///
    /// The session does not know the type: whoever stores something here declares a type of its own for it.
    pub fn get<T: Default + Send + Sync + 'static>(&self) -> &T {
        let mut slot = &self.first;
        loop {
            let entry = slot.get_or_init(|| Box::new(Entry { value: Box::<T>::default(), next: OnceLock::new() }));
            if let Some(found) = entry.value.downcast_ref() {
                return found;
            }
            slot = &entry.next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_value_of_each_type_is_kept() {
        let cache = Cache::default();
        let numbers = cache.get::<OnceLock<u32>>();
        let texts = cache.get::<OnceLock<String>>();
        numbers.set(7).unwrap();
        texts.set("seven".to_owned()).unwrap();
        assert_eq!(cache.get::<OnceLock<u32>>().get(), Some(&7));
        assert_eq!(cache.get::<OnceLock<String>>().get().map(String::as_str), Some("seven"));
    }
}
