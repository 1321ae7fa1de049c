//! Additions of the quickstart to the page of `floral report`: the question, one input as an
//! example, and the commands.

use floral_report::draw::{Block, Page, Section};
use floral_report::report::{Comparison, curves_of_input, page};

use super::{Folder, QuickstartSizes, command};

/// The report with its introduction.
pub(super) fn introduced(
    folder: &Folder,
    sizes: &QuickstartSizes,
    comparison: &Comparison,
) -> floral::Result<Page> {
    let mut page = page(comparison)?;
    page.title = "FLORAL quickstart: learning the residual between two solvers".into();
    let [_, _, train] = sizes.inputs;
    page.lead = format!(
        "A low-fidelity solver gives one answer, and it is wrong. The true answer is expensive, and \
         it is random: run it twice and you get two curves. From {train} inputs with {} true \
         realizations each, four methods have learned to predict the truth of inputs they have \
         never seen. Residual FNO predicts a single curve. FLORAL (the paper's generative method), \
         kriging and FLORAL-KL (which we recommend) predict the whole distribution; the last two are \
         fitted in closed form. {}",
        sizes.realizations, page.lead
    );
    page.sections.insert(0, example(comparison));
    page.sections.push(yourself(folder, sizes));
    Ok(page)
}

fn section(heading: &str, text: &str, content: Block) -> Section {
    Section {
        heading: heading.into(),
        blocks: vec![Block::Text(text.into()), content],
    }
}

fn example(comparison: &Comparison) -> Section {
    section(
        "One input as an example",
        "1DCR is the smallest of the built-in problems. Its mean and its spread are known exactly, \
         so that predictions can be compared with the truth itself. The dashed line is the true mean, \
         the grey band its spread. A good prediction lies on the dashed line; a good distribution also \
         has a coloured band as wide as the grey one.",
        Block::Figures(curves_of_input(comparison, 0)),
    )
}

fn yourself(folder: &Folder, sizes: &QuickstartSizes) -> Section {
    let lines = command::commands(folder, sizes);
    let lines = lines.iter().map(|line| format!("$ {line}")).collect();
    section(
        "Do it yourself",
        "These commands did the work. They work for every built-in problem, and for your own data in \
         place of the generated ones; by default they use the paper's sizes.",
        Block::Lines(lines),
    )
}
