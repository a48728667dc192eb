//! Groups of a VTU file: arrays of whole numbers on cells and points, and names for their values.

use super::draft::{Draft, DraftGroup};
use super::kind::CellKind;
use super::vtu::{DataArray, Outline};
use super::vtu_data::Numbers;
use crate::error::Diagnostic;
use std::collections::BTreeMap;

/// Arrays on cells of which every value but 0 is a group.
const NUMBERED: [&str; 3] = ["group", "material", "gmsh:physical"];

/// What an array says, by its name.
enum Form<'a> {
    /// `group:NAME`: all that is not zero.
    Named(&'a str),
    /// Every value is a group.
    Numbered,
    /// One byte a value, all 0 or 1, as programs write truth values; or the index of one of several names, joined in the array's, and
    /// -1 for none, as meshio writes its sets.
    Other,
}

fn form<'a>(array: &'a DataArray<'_>) -> Option<Form<'a>> {
    let on_cells = array.parent == b"CellData";
    if array.components != 1 || !(on_cells || array.parent == b"PointData") {
        return None;
    }
    if let Some(name) = array.name.strip_prefix("group:") {
        return Some(Form::Named(name));
    }
    if on_cells && NUMBERED.contains(&array.name.as_str()) {
        return Some(Form::Numbered);
    }
    let whole = matches!(array.number, b"Int8" | b"UInt8" | b"Int32" | b"Int64");
    (whole && !array.name.is_empty() && !array.name.starts_with("vtk")).then_some(Form::Other)
}

/// Adds the groups to the draft; `place` has the kind and index of each cell of the file.
pub(super) fn groups(draft: &mut Draft, outline: &Outline, place: &[(u32, u32)]) -> Result<(), Diagnostic> {
    let input = draft.input;
    let names = names(draft, outline);
    for array in &outline.arrays {
        let Some(form) = form(array) else { continue };
        let on_cells = array.parent == b"CellData";
        let count = if on_cells { outline.cells } else { outline.points };
        // Not charged, since they go again: points and cells were. Members of groups stay.
        let values = outline.encoding.read(&input, array, Some(count), &|| Ok(()))?;
        let values = match (values, &form) {
            (Numbers::Whole(values), _) => values,
            (_, Form::Other) => continue,
            _ => {
                let message = format!("array `{}` names groups and must hold whole numbers", array.name);
                return Err(input.fault(array.at, message));
            }
        };
        let sets = match form {
            Form::Named(name) => vec![(name, Set::NotZero)],
            Form::Numbered => vec![],
            Form::Other => other_sets(array, &values),
        };
        let chosen = match form {
            Form::Numbered => values.iter().filter(|v| **v != 0).count(),
            _ => sets.iter().map(|(_, set)| values.iter().filter(|v| set.has(**v)).count()).sum(),
        };
        outline.charge(&input, array, Some(chosen as u64))?;
        let dimension = |c: &(u32, u32)| CellKind::ALL[c.0 as usize].dimension();
        for (name, set) in sets {
            let members = values.iter().zip(0..).filter(|(v, _)| set.has(**v)).map(|(_, k): (_, usize)| k);
            let mut group = DraftGroup::new(name, 0);
            if on_cells {
                group.cells.extend(members.map(|k| place[k]));
                group.dimension = group.cells.iter().map(dimension).max().unwrap_or(0);
            } else {
                group.nodes.extend(members.map(|a| (a as u64, array.at)));
            }
            draft.groups.push(group);
        }
        if let Form::Numbered = form {
            let mut groups = BTreeMap::new();
            for (value, cell) in values.iter().zip(place).filter(|(v, _)| **v != 0) {
                let dimension = dimension(cell);
                let group = groups.entry((dimension, *value)).or_insert_with(|| {
                    let name = names.get(&(*value, Some(dimension))).or(names.get(&(*value, None)));
                    DraftGroup::new(name.cloned().unwrap_or(value.to_string()), dimension)
                });
                group.cells.push(*cell);
            }
            draft.groups.extend(groups.into_values());
        }
    }
    Ok(())
}

/// Which values of an array belong to a group.
enum Set {
    NotZero,
    Is(i64),
}

impl Set {
    fn has(&self, value: i64) -> bool {
        match self {
            Set::NotZero => value != 0,
            Set::Is(index) => value == *index,
        }
    }
}

fn other_sets<'a>(array: &'a DataArray, values: &[i64]) -> Vec<(&'a str, Set)> {
    let (Some(low), Some(high)) = (values.iter().min().copied(), values.iter().max().copied()) else {
        return Vec::new();
    };
    if (low, high) == (0, 1) && matches!(array.number, b"Int8" | b"UInt8") {
        return vec![(&*array.name, Set::NotZero)];
    }
    // meshio joins the names by the first of these that none of them has.
    for separator in ["-", "_", "#", "+", "/"] {
        let names: Vec<&str> = array.name.split(separator).collect();
        let joined = names.len() > 1 || low == -1;
        if joined && low >= -1 && high + 1 == names.len() as i64 && array.number == b"Int64" {
            let own =
                names.into_iter().zip(0..).filter(|(name, _)| !name.is_empty() && !name.starts_with("gmsh:"));
            return own.map(|(name, index)| (name, Set::Is(index))).collect();
        }
    }
    Vec::new()
}

/// Names of values in the field data: an array called by the name, with the value alone, or with the dimension behind it.
fn names(draft: &Draft, outline: &Outline) -> BTreeMap<(i64, Option<u32>), String> {
    let mut names = BTreeMap::new();
    for array in outline.arrays.iter().filter(|a| a.parent == b"FieldData" && !a.name.is_empty()) {
        let count = array.components.saturating_mul(array.tuples);
        if !(1..=2).contains(&count) || array.number.starts_with(b"Float") {
            continue;
        }
        let Ok(Numbers::Whole(values)) = outline.encoding.read(&draft.input, array, Some(count), &|| Ok(()))
        else {
            continue;
        };
        let dimension = values.get(1).and_then(|d| u32::try_from(*d).ok());
        if values.len() == 1 || dimension.is_some_and(|d| d <= 3) {
            names.insert((values[0], dimension), array.name.clone());
        }
    }
    names
}
