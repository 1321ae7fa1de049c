//! A page: one self-contained HTML file.

use super::bars::Bars;
use super::escape::escaped;
use super::figure::Figure;
use super::panels::Panels;
use super::style;
use super::table::Table;

/// A block of a section.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// A paragraph.
    Text(String),
    /// Figures side by side, as many as fit.
    Figures(Vec<Figure>),
    /// Rows of maps.
    Panels(Panels),
    /// Groups of bars.
    Bars(Bars),
    /// A table.
    Table(Table),
    /// Commands or output, line by line.
    Lines(Vec<String>),
    /// An interactive part.
    Interactive(Interactive),
    /// Blocks under a heading that a reader can open and close.
    Group(Group),
}

/// Blocks under a heading that a reader can open and close.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// The heading.
    pub heading: String,
    /// The blocks; none of them may be interactive.
    pub blocks: Vec<Block>,
    /// Whether it is open initially.
    pub is_open: bool,
}

/// Markup with a script. Markup, style and script are trusted and written unescaped.
#[derive(Debug, Clone, PartialEq)]
pub struct Interactive {
    /// The elements.
    pub markup: String,
    /// The style sheet of the elements.
    pub style: String,
    /// The program.
    pub script: String,
    /// The base64 data of the script, in the element `data`.
    pub data: String,
}

/// A section of a page.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// The heading.
    pub heading: String,
    /// The blocks.
    pub blocks: Vec<Block>,
}

/// A title, an introduction and sections.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// The title.
    pub title: String,
    /// The introduction.
    pub lead: String,
    /// The sections.
    pub sections: Vec<Section>,
    /// The last line: how the page was made.
    pub footer: String,
}

impl Page {
    /// The text of the HTML file.
    pub fn to_html(&self) -> String {
        let (title, lead) = (escaped(&self.title), escaped(&self.lead));
        let sections: String = self.sections.iter().map(section).collect();
        let styles: String = self.interactive().map(|part| part.style.as_str()).collect();
        let scripts: String = self.interactive().map(script).collect();
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
             <title>{title}</title>\n<style>\n{}{styles}</style>\n</head>\n<body>\n<main>\n\
             <h1>{title}</h1>\n<p class=\"lead\">{lead}</p>\n{sections}</main>\n\
             <footer>{}</footer>\n{scripts}</body>\n</html>\n",
            style::sheet(),
            escaped(&self.footer)
        )
    }

    fn interactive(&self) -> impl Iterator<Item = &Interactive> {
        let blocks = self.sections.iter().flat_map(|section| &section.blocks);
        blocks.filter_map(|block| match block {
            Block::Interactive(part) => Some(part),
            _ => None,
        })
    }
}

fn script(part: &Interactive) -> String {
    let Interactive { script, data, .. } = part;
    format!(
        "<script id=\"data\" type=\"text/plain\">{data}</script>\n<script>\n{script}</script>\n"
    )
}

fn section(section: &Section) -> String {
    let blocks: String = section.blocks.iter().map(block).collect();
    let heading = escaped(&section.heading);
    format!("<section>\n<h2>{heading}</h2>\n{blocks}</section>\n")
}

fn block(block: &Block) -> String {
    match block {
        Block::Text(text) => format!("<p>{}</p>\n", escaped(text)),
        Block::Table(table) => table.to_html(),
        Block::Interactive(part) => part.markup.clone(),
        Block::Group(part) => group(part),
        Block::Panels(panels) => {
            let (title, svg) = (escaped(&panels.title), panels.to_svg());
            format!(
                "<figure class=\"maps\"><figcaption>{title}</figcaption>\n\
                 <div class=\"wide\">{svg}</div></figure>\n"
            )
        }
        Block::Bars(bars) => {
            let (title, svg) = (escaped(&bars.title), bars.to_svg());
            format!(
                "<figure class=\"maps\"><figcaption>{title}</figcaption>\n\
                 <div class=\"wide\">{svg}</div></figure>\n"
            )
        }
        Block::Lines(lines) => format!("<pre>{}</pre>\n", escaped(&lines.join("\n"))),
        Block::Figures(figures) => {
            let figures: String = figures.iter().map(captioned).collect();
            format!("<div class=\"figures\">\n{figures}</div>\n")
        }
    }
}

fn group(group: &Group) -> String {
    let open = if group.is_open { " open" } else { "" };
    let blocks: String = group.blocks.iter().map(block).collect();
    let heading = escaped(&group.heading);
    format!("<details{open}>\n<summary>{heading}</summary>\n{blocks}</details>\n")
}

fn captioned(figure: &Figure) -> String {
    let (title, svg) = (escaped(&figure.title), figure.to_svg());
    format!("<figure><figcaption>{title}</figcaption>\n{svg}</figure>\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::testing::assert_well_formed;
    use crate::draw::{Colour, Curve};

    fn page() -> Page {
        let figure = Figure {
            title: "<script>".into(),
            x_label: "x".into(),
            y_label: "w".into(),
            x: vec![0.0, 1.0],
            curves: vec![Curve::line("a & b", vec![0.0, 1.0], Colour::Blue)],
            ..Figure::default()
        };
        let table = Table {
            columns: Vec::new(),
            rows: Vec::new(),
        };
        Page {
            title: "One < two".into(),
            lead: "What you see.".into(),
            sections: vec![Section {
                heading: "First & last".into(),
                blocks: vec![
                    Block::Text("text".into()),
                    Block::Figures(vec![figure]),
                    Block::Table(table.clone()),
                    Block::Group(Group {
                        heading: "p [<Pa>]".into(),
                        blocks: vec![Block::Table(table)],
                        is_open: false,
                    }),
                    Block::Lines(vec!["$ floral > out".into()]),
                ],
            }],
            footer: "made".into(),
        }
    }

    #[test]
    fn a_page_is_well_formed_and_escaped() {
        let html = page().to_html();
        assert_well_formed(&html);
        assert!(!html.contains("<script"));
        assert!(html.contains("<title>One &lt; two</title>"));
    }

    #[test]
    fn a_page_refers_to_nothing_outside_itself() {
        // The namespace of SVG is only a name; nothing is fetched from it.
        let html = page()
            .to_html()
            .replace("xmlns=\"http://www.w3.org/2000/svg\"", "");
        for reference in [
            "http:", "https:", "src=", "href=", "url(", "@import", "<link",
        ] {
            assert!(!html.contains(reference), "{reference}");
        }
    }

    #[test]
    fn a_page_follows_the_theme_and_fits_a_phone() {
        let html = page().to_html();
        assert!(html.contains("prefers-color-scheme:dark") && html.contains("width=device-width"));
        for colour in Colour::ALL {
            assert_eq!(html.matches(&format!("--{}:", colour.name())).count(), 2);
        }
    }
}
