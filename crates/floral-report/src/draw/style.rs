//! The style sheet of a page.

use super::colour::Colour;

/// The style sheet, for light and dark themes, wide and narrow screens.
pub(super) fn sheet() -> String {
    let variables = |shade: fn(Colour) -> &'static str| -> String {
        let pairs = Colour::ALL.map(|c| format!("--{}:{};", c.name(), shade(c)));
        pairs.concat()
    };
    format!(
        ":root{{color-scheme:light dark;--paper:#fff;--card:#f7f8fa;--grid:#e3e6ea;{}}}\n\
         @media (prefers-color-scheme:dark){{:root{{--paper:#15181c;--card:#1d2126;--grid:#333a42;{}}}}}\n\
         {RULES}",
        variables(Colour::light),
        variables(Colour::dark)
    )
}

// A page is as wide as two figures. A narrow page shows them one below the other.
const RULES: &str = "\
*{box-sizing:border-box}
body{margin:0 auto;padding:2.5rem 1.25rem 4rem;max-width:66rem;background:var(--paper);\
color:var(--ink);font:1rem/1.6 system-ui,sans-serif}
h1{font-size:1.9rem;line-height:1.2;margin:0 0 .75rem}
h2{font-size:1.25rem;margin:2.75rem 0 .5rem}
p{max-width:44rem;margin:.5rem 0 1rem}
.lead{font-size:1.1rem}
.figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,26rem),1fr));gap:1rem}
figure{margin:0;padding:.9rem 1rem .6rem;background:var(--card);border-radius:.6rem}
figcaption{font-weight:600;margin-bottom:.35rem}
svg{display:block;width:100%;height:auto}
.maps{display:inline-block;vertical-align:top;margin:1rem 1rem 0 0;max-width:100%}
details{margin:1rem 0}
summary{font-weight:600;cursor:pointer;margin:.5rem 0}
.wide{overflow-x:auto}
table{border-collapse:collapse;font-size:.94rem;font-variant-numeric:tabular-nums;min-width:100%}
th,td{padding:.5rem .6rem;text-align:right;border-bottom:1px solid var(--grid);vertical-align:top}
thead th{font-weight:600}
th:first-child{text-align:left;position:sticky;left:0;background:var(--paper);min-width:8rem}
th small{display:block;font-weight:400;font-size:.78rem;line-height:1.35;color:var(--grey);min-width:4.5rem}
pre{white-space:pre-wrap;overflow-wrap:anywhere;padding:.9rem 1rem;background:var(--card);\
border-radius:.6rem;font:.85rem/1.6 ui-monospace,monospace}
.table{overflow-x:auto;max-width:100%;padding-bottom:.4rem;scrollbar-width:thin;\
background:linear-gradient(to left,var(--paper) 40%,transparent) right/3rem 100% no-repeat local,\
linear-gradient(to left,rgb(128 128 128/.4),transparent) right/.8rem 100% no-repeat scroll}
.table td{white-space:nowrap}
@media (max-width:40rem){th:first-child{min-width:6rem;max-width:8rem;line-height:1.3;\
overflow-wrap:break-word}\
.table::before{content:\"scroll for all columns \\2192\";position:sticky;left:0;font-size:.78rem;\
color:var(--grey)}}
footer{margin-top:3rem;color:var(--grey);font-size:.85rem}
";
