//! Names as programmers choose them.

use super::recipe::Recipe;
use super::rng::Rng;

const COMPANY: [&str; 3] = ["Contoso", "Fabrikam", "Northwind"];
const AREAS: [&str; 12] = [
    "Accounts", "Billing", "Catalog", "Delivery", "Events", "Files", "Identity", "Orders", "Reports", "Search",
    "Storage", "Tax",
];
const LAYERS: [&str; 6] = ["Api", "Core", "Data", "Model", "Services", "Tests"];
const THINGS: [&str; 32] = [
    "Account", "Address", "Basket", "Batch", "Cache", "Channel", "Cursor", "Customer", "Document", "Entry", "Event",
    "File", "Handle", "Index", "Invoice", "Item", "Key", "Ledger", "Message", "Order", "Page", "Payment", "Price",
    "Query", "Queue", "Record", "Request", "Row", "Session", "Shipment", "Token", "User",
];
const ROLES: [&str; 16] = [
    "Builder",
    "Cache",
    "Collection",
    "Controller",
    "Extensions",
    "Factory",
    "Handler",
    "Mapper",
    "Options",
    "Parser",
    "Provider",
    "Reader",
    "Repository",
    "Service",
    "Validator",
    "Writer",
];
const VERBS: [&str; 24] = [
    "Add", "Apply", "Build", "Cancel", "Check", "Close", "Compute", "Create", "Delete", "Find", "Get", "Load", "Merge",
    "Open", "Parse", "Publish", "Read", "Remove", "Resolve", "Save", "Send", "TryGet", "Update", "Write",
];
const TAILS: [&str; 10] = ["", "", "", "s", "Async", "ById", "ByName", "Core", "Internal", "OrDefault"];
const LOCALS: [&str; 16] = [
    "i", "count", "index", "item", "key", "name", "order", "query", "reader", "result", "row", "source", "text",
    "total", "value", "writer",
];

/// `name` with the mark of thing `row` in its middle. Names from the tables above are ASCII: any byte parts two characters.
fn marked(recipe: &Recipe, row: u32, mut name: String) -> String {
    if let Some(mark) = recipe.marks.get(row as usize % recipe.marks.len().max(1)) {
        name.insert_str(name.len() / 2, mark);
    }
    name
}

/// The name of the assembly.
pub fn assembly(recipe: &Recipe) -> String {
    marked(recipe, 0, "Synth".to_owned())
}

/// The namespace of a type that is not nested. Neighbours share one, and all but the core have an area and a layer.
pub fn namespace(recipe: &Recipe, row: u32) -> String {
    let group = row / 24;
    let mut rng = Rng::of(recipe.seed, "namespace", group);
    let company = COMPANY[(recipe.seed % COMPANY.len() as u64) as usize];
    marked(recipe, group, format!("{company}.{}.{}", rng.one(&AREAS), rng.one(&LAYERS)))
}

/// The name of a type: two things and a role, and a number when those are used up.
pub fn type_name(recipe: &Recipe, row: u32) -> String {
    if enclosing(row).is_some() {
        let index = row % 100;
        let name = match row % 3 {
            0 => "Enumerator".to_owned(),
            1 => format!("<>c__DisplayClass{index}_0"),
            _ => format!("<{}>d__{index}", method_word(recipe, row)),
        };
        return marked(recipe, row, name);
    }
    // An odd factor reaches every number below a power of two once: names are unique.
    let number = row.wrapping_mul(7919);
    let (things, roles) = (THINGS.len() as u32, ROLES.len() as u32);
    let first = THINGS[(number % things) as usize];
    let second = THINGS[(number / things % things) as usize];
    let role = ROLES[(number / things / things % roles) as usize];
    let again = if row < things * things * roles { String::new() } else { row.to_string() };
    marked(recipe, row, format!("{first}{second}{role}{again}"))
}

/// The TypeDef row that encloses TypeDef row `row`: every fifth type is nested in its neighbour, some of these again.
pub fn enclosing(row: u32) -> Option<u32> {
    (row > 4 && matches!(row % 10, 4 | 5 | 9)).then(|| row - 1)
}

/// The types that enclose TypeDef row `row`, outermost first, and itself.
pub fn nest(row: u32) -> Vec<u32> {
    let mut nest = enclosing(row).map(nest).unwrap_or_default();
    nest.push(row);
    nest
}

/// The full name of a type, with `separator` between a type and one nested in it.
pub fn full_type_name(recipe: &Recipe, row: u32, separator: &str) -> String {
    let nest = nest(row);
    let names: Vec<_> = nest.iter().map(|row| type_name(recipe, *row)).collect();
    format!("{}.{}", namespace(recipe, nest[0]), names.join(separator))
}

/// The name of a method. The first of a type is its constructor.
pub fn method_name(recipe: &Recipe, row: u32) -> String {
    if recipe.methods_of(recipe.type_of(row)).start == row {
        return ".ctor".to_owned();
    }
    let mut rng = Rng::of(recipe.seed, "method name", row);
    let name = match rng.between(0, 100) {
        0..10 => format!("get_{}", rng.one(&THINGS)),
        10..15 => format!("set_{}", rng.one(&THINGS)),
        15..19 => format!("<{}>b__{}", method_word(recipe, row), rng.between(0, 20)),
        _ => method_word(recipe, row),
    };
    marked(recipe, row, name)
}

fn method_word(recipe: &Recipe, row: u32) -> String {
    let mut rng = Rng::of(recipe.seed, "method word", row);
    let (verb, thing) = (rng.one(&VERBS), rng.one(&THINGS));
    let more = if rng.chance(30) { rng.one(&THINGS) } else { "" };
    format!("{verb}{thing}{more}{}", rng.one(&TAILS))
}

/// The name of a variable, a parameter or a constant, and whether a debugger hides it.
pub fn local(recipe: &Recipe, kind: &str, row: u32) -> (String, bool) {
    let mut rng = Rng::of(recipe.seed, kind, row);
    let (name, is_hidden) = match rng.between(0, 100) {
        0..4 if kind == "variable" => (format!("CS$<>8__locals{}", rng.between(0, 9)), true),
        0..50 => (rng.one(&LOCALS).to_owned(), false),
        50..70 => (format!("{}{}", rng.one(&LOCALS), rng.between(2, 30)), false),
        _ => (format!("{}{}", rng.one(&LOCALS), rng.one(&THINGS)), false),
    };
    (marked(recipe, row, name), is_hidden)
}

/// The name of a field.
pub fn field(recipe: &Recipe, row: u32) -> String {
    let mut rng = Rng::of(recipe.seed, "field", row);
    let automatic = rng.chance(20);
    let name =
        if automatic { format!("<{}>k__BackingField", rng.one(&THINGS)) } else { format!("_{}", rng.one(&LOCALS)) };
    marked(recipe, row, name)
}

/// The path of a document.
pub fn document(recipe: &Recipe, row: u32) -> String {
    let mut rng = Rng::of(recipe.seed, "document", row / 16);
    let (area, layer) = (rng.one(&AREAS), rng.one(&LAYERS));
    let mut rng = Rng::of(recipe.seed, "document name", row);
    let name = marked(recipe, row, format!("{}{}{row}", rng.one(&THINGS), rng.one(&ROLES)));
    format!("/src/{area}/{layer}/{name}.cs")
}

/// A string that a program would print.
pub fn sentence(recipe: &Recipe, index: u32) -> String {
    let mut rng = Rng::of(recipe.seed, "sentence", index);
    let sentence = format!("{} {} {index}: no such {}", rng.one(&VERBS), rng.one(&THINGS), rng.one(&THINGS));
    marked(recipe, index, sentence)
}
