//! Writes the result of `floral report`: a page, or figures and tables.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use floral::counted;
use floral::dataset::write_atomically;
use floral::storage::create_folder;
use floral_report::draw::{pdf, raster, standalone};
use floral_report::report::{Comparison, Exported, exports, page};

use super::{Arguments, Format};
use crate::output;

/// Size in bytes up to which a page opens quickly and can be mailed.
const LARGE: usize = 15_000_000;

/// Default pixels per inch: sharp in print, and light enough for slides.
const DPI: u32 = 200;

/// Identifies a page that FLORAL has written, which may be replaced.
const MARK: &str = "<title>FLORAL report";

/// Refuses to replace a file that is not a report, before hours are spent on predictions.
pub(super) fn check_output(arguments: &Arguments) -> Result<()> {
    let path = &arguments.output;
    if arguments.force || !path.exists() {
        return Ok(());
    }
    if arguments.format != Format::Html {
        ensure!(
            path.is_dir(),
            "{}: is a file; -o names a folder for figures and tables",
            path.display()
        );
        return Ok(());
    }
    let start = std::fs::read(path).with_context(|| path.display().to_string())?;
    let start = String::from_utf8_lossy(&start[..start.len().min(1000)]).into_owned();
    ensure!(
        start.contains(MARK),
        "{}: exists and is not a report; add --force to replace it, or choose another name",
        path.display()
    );
    Ok(())
}

pub(super) fn write_page(arguments: &Arguments, comparison: &Comparison) -> Result<()> {
    let html = page(comparison)?.to_html();
    write(&arguments.output, html.as_bytes())?;
    output::message(&format!(
        "{}: {}, {}, {:.1} MB",
        arguments.output.display(),
        counted(comparison.runs.len(), "run"),
        counted(comparison.setting.inputs.len(), "input"),
        html.len() as f64 / 1e6
    ));
    if html.len() > LARGE {
        output::note("a large page is slow to open; show less with a smaller --show or --keep");
    }
    Ok(())
}

pub(super) fn write_parts(arguments: &Arguments, comparison: &Comparison) -> Result<()> {
    let folder = &arguments.output;
    create_folder(folder)?;
    if arguments.format == Format::Json {
        let text = serde_json::to_string_pretty(comparison)? + "\n";
        return write(&folder.join("report.json"), text.as_bytes());
    }
    let mut all = exports(comparison);
    let is_table = arguments.format == Format::Tex;
    all.retain(|(_, exported)| matches!(exported, Exported::Table(_)) == is_table);
    let known: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
    for name in &arguments.figure {
        ensure!(
            known.contains(&name.as_str()),
            "--figure {name}: choose among {}",
            known.join(", ")
        );
    }
    let wanted = |name: &String| arguments.figure.is_empty() || arguments.figure.contains(name);
    let mut written = 0;
    for (name, exported) in all.iter().filter(|(name, _)| wanted(name)) {
        let (extension, bytes) =
            rendered(exported, arguments).with_context(|| format!("--figure {name}"))?;
        write(&folder.join(format!("{name}.{extension}")), &bytes)?;
        written += 1;
    }
    output::message(&format!(
        "{}: {}",
        folder.display(),
        counted(written, "file")
    ));
    Ok(())
}

/// The extension and the content of a file.
fn rendered(exported: &Exported, arguments: &Arguments) -> Result<(&'static str, Vec<u8>)> {
    let svg = match exported {
        Exported::Curves(figure) => figure.to_svg(),
        Exported::Maps(panels) => panels.to_svg(),
        Exported::Bars(bars) => bars.to_svg(),
        Exported::Table(table) => return Ok(("tex", table.to_latex().into_bytes())),
    };
    Ok(match arguments.format {
        Format::Png => ("png", raster(&svg, arguments.dpi.unwrap_or(DPI))?),
        Format::Pdf => ("pdf", pdf(&svg)?),
        _ => ("svg", standalone(&svg).into_bytes()),
    })
}

pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    if let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        create_folder(folder)?;
    }
    Ok(write_atomically(path, bytes)?)
}
