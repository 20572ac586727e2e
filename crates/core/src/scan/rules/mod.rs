//! The table of what pages put after a name. To add a rule, add a row: its examples are its tests.

use crate::rule::table;

table! {
    /// File extensions, and views of pages. DOIs that the model knows to end so keep them:
    /// `10.1107/S1600536807045333/LW2031SUP0.HTML`.
    pub(in crate::scan) FILES, "running text; fields after a DOI that is surely whole", "publisher-path" {
        ".JATS": "see 10.21105/joss.00550.jats" => "10.21105/JOSS.00550";
        ".PDF": "see 10.1007/978-94-007-4933-7.pdf" => "10.1007/978-94-007-4933-7", "\"10.1007/s11629-006-0048-2.pdf\"" => "10.1007/S11629-006-0048-2", "\"http://dx.plos.org/10.1371/journal.pbio.1001934.pdf\"" => "10.1371/JOURNAL.PBIO.1001934";
        ".PDF+HTML": "see 10.1000/182.pdf+html" => "10.1000/182";
        ".RIS": "see 10.1000/182.ris" => "10.1000/182";
        ".BIB": "see 10.1000/182.bib" => "10.1000/182";
        ".MD": "see 10.1000/182.md" => "10.1000/182";
        ".HTM": "see 10.1000/182.htm" => "10.1000/182";
        ".HTML": "\"https://link.springer.com/10.1007/s11629-006-0048-2.html\"" => "10.1007/S11629-006-0048-2", "\"10.1038/nature12373.html\"" => "10.1038/NATURE12373", "\"10.1186/1471-2105-9-367.html\"" => "10.1186/1471-2105-9-367", "\"10.3758/s13414-013-0614-y.html\"" => "10.3758/S13414-013-0614-Y", "see 10.1000/182.html" => "10.1000/182";
        ".XML": "see 10.1000/182.xml" => "10.1000/182";
        ".EPUB": "see 10.1000/182.epub" => "10.1000/182";
        ".EPDF": "see 10.1038/nature12373.epdf" => "10.1038/NATURE12373";
        ".FULL": "see 10.1000/182.full" => "10.1000/182", "\"10.1136/bmj.k123.full\"" => "10.1136/BMJ.K123";
        ".ABSTRACT": "see https://www.example.org/content/10.1101/2020.10.04.325563.abstract" => "10.1101/2020.10.04.325563";
        ".FULL-TEXT": "see 10.1000/182.full-text" => "10.1000/182";
        ".LONG": "see 10.1000/182.long" => "10.1000/182", "\"10.1136/bmj.k123.long\"" => "10.1136/BMJ.K123";
        ".SHORT": "see 10.1000/182.short" => "10.1000/182", "\"10.1136/bmj.k123.short\"" => "10.1136/BMJ.K123";
        ".SUPPLEMENTARY-MATERIAL": "see 10.1000/182.supplementary-material" => "10.1000/182";
        ".ARTICLE-INFO": "see 10.1000/182.article-info" => "10.1000/182";
        ".ZIP": "see 10.1000/182.zip" => "10.1000/182";
        ".JPG": "see 10.1000/182.jpg" => "10.1000/182";
        ".PNG": "see 10.1000/182.png" => "10.1000/182";
        ".SVG": "see 10.1000/182.svg" => "10.1000/182";
    }
}

#[cfg(test)]
mod tests;
